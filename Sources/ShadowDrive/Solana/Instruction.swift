import Foundation

/// What one program is asked to do: with which accounts, and what.
public struct Instruction: Sendable, Hashable {
    /// An account that an instruction touches.
    public struct Account: Sendable, Hashable {
        /// Its address.
        public var key: PublicKey
        /// Whether its holder must sign.
        public var isSigner: Bool
        /// Whether it may be changed.
        public var isWritable: Bool

        /// An account of an instruction.
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
    /// What the program is told.
    public var data: Data

    /// An instruction.
    public init(program: PublicKey, accounts: [Account], data: Data) {
        self.program = program
        self.accounts = accounts
        self.data = data
    }
}

/// How much a transaction may compute, and what is paid for being early. Its two instructions come first.
public struct ComputeBudget: Sendable, Hashable {
    /// The most compute units.
    public var units: UInt32?
    /// The price of a unit, in millionths of a lamport.
    public var price: UInt64?

    /// A budget; what is `nil` is not asked for.
    public init(units: UInt32? = nil, price: UInt64? = nil) {
        self.units = units
        self.price = price
    }

    /// Nothing is asked for.
    public static let none = ComputeBudget()

    /// SetComputeUnitLimit, then SetComputeUnitPrice.
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

    /// The budget that the first instructions set; how many of them there are.
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
