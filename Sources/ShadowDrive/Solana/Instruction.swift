import AquiferFoundation

/// An instruction to one program, with its accounts and its data.
public struct Instruction: Sendable, Hashable {
    /// An account that an instruction uses.
    public struct Account: Sendable, Hashable {
        /// The account's address.
        public var key: PublicKey
        /// True if the holder of its key must sign.
        public var isSigner: Bool
        /// True if the instruction may change the account.
        public var isWritable: Bool

        /// Creates an account of an instruction.
        public init(_ key: PublicKey, isSigner: Bool = false, isWritable: Bool = false) {
            self.key = key
            self.isSigner = isSigner
            self.isWritable = isWritable
        }
    }

    /// The program.
    public var program: PublicKey
    /// The accounts, in the program's order.
    public var accounts: [Account]
    /// The data for the program.
    public var data: Data

    /// Creates an instruction.
    public init(program: PublicKey, accounts: [Account], data: Data) {
        self.program = program
        self.accounts = accounts
        self.data = data
    }
}

/// The compute limit of a transaction and its priority price. Its instructions, at most two, come first in the
/// transaction.
public struct ComputeBudget: Sendable, Hashable {
    /// The maximum number of compute units.
    public var units: UInt32?
    /// The price of a unit, in millionths of a lamport.
    public var price: UInt64?

    /// Creates a budget. A value of `nil` adds no instruction.
    public init(units: UInt32? = nil, price: UInt64? = nil) {
        self.units = units
        self.price = price
    }

    /// A budget without instructions.
    public static let none = ComputeBudget()

    /// The budget's instructions: SetComputeUnitLimit, then SetComputeUnitPrice.
    public var instructions: [Instruction] {
        var all: [Instruction] = []
        if let units {
            var data = WireWriter()
            data.append(2 as UInt8)
            data.number(units)
            all.append(Instruction(program: SolanaPrograms.computeBudget, accounts: [], data: data.bytes))
        }
        if let price {
            var data = WireWriter()
            data.append(3 as UInt8)
            data.number(price)
            all.append(Instruction(program: SolanaPrograms.computeBudget, accounts: [], data: data.bytes))
        }
        return all
    }

    /// The budget that the first instructions set, and the number of these instructions.
    static func reading(_ instructions: [Instruction]) -> (budget: ComputeBudget, count: Int) {
        var budget = ComputeBudget.none
        var count = 0
        for instruction in instructions.prefix(2) {
            var reader = WireReader(instruction.data)
            guard instruction.program == SolanaPrograms.computeBudget, instruction.accounts.isEmpty,
                let kind = try? reader.byte()  // an instruction that cannot be read is no budget
            else { break }
            if kind == 2, reader.left == 4, count == 0 {
                budget.units = try? reader.number()  // four bytes are there
            } else if kind == 3, reader.left == 8 {
                budget.price = try? reader.number()  // eight bytes are there
            } else {
                break
            }
            count += 1
            if budget.price != nil { break }
        }
        return (budget, count)
    }
}
