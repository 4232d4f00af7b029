import Foundation

/// What the signers of a transaction sign: accounts, a blockhash, instructions (the legacy format).
public struct Message: Sendable, Hashable {
    /// How many of the account keys sign, and how many of each kind only read.
    public struct Header: Sendable, Hashable {
        /// The first so many keys sign.
        public var requiredSignatures: UInt8
        /// The last so many of those only read.
        public var readOnlySigned: UInt8
        /// The last so many of the others only read.
        public var readOnlyUnsigned: UInt8
    }

    /// An instruction whose accounts are places among the account keys.
    public struct CompiledInstruction: Sendable, Hashable {
        /// The place of the program.
        public var program: UInt8
        /// The places of the accounts.
        public var accounts: [UInt8]
        /// What the program is told.
        public var data: Data
    }

    /// The header.
    public let header: Header
    /// The accounts: who pays, other signers that are changed, that only read, other accounts that are changed, the rest.
    public let accountKeys: [PublicKey]
    /// The time.
    public let blockhash: Blockhash
    /// The instructions.
    public let compiledInstructions: [CompiledInstruction]

    /// Compiles instructions.
    ///
    /// Keys are merged (an account that signs or is changed anywhere signs or is changed everywhere) and ordered: the
    /// payer first, then by kind, within a kind by their bytes.
    ///
    /// - Throws: ``TransactionError/tooManyAccounts`` above 256, ``TransactionError/tooLarge(bytes:)`` if the transaction
    ///   would be.
    public init(
        payer: PublicKey, instructions: [Instruction], blockhash: Blockhash
    ) throws(TransactionError) {
        var flags: [PublicKey: (signs: Bool, writes: Bool)] = [payer: (true, true)]
        for instruction in instructions {
            for account in instruction.accounts {
                let old = flags[account.key] ?? (false, false)
                flags[account.key] = (old.signs || account.isSigner, old.writes || account.isWritable)
            }
            flags[instruction.program] = flags[instruction.program] ?? (false, false)
        }
        guard flags.count <= 256 else { throw .tooManyAccounts }
        func kind(_ signs: Bool, _ writes: Bool) -> [PublicKey] {
            flags.filter { $0.key != payer && $0.value == (signs, writes) }.keys.sorted()
        }
        let readOnlySigned = kind(true, false)
        let readOnly = kind(false, false)
        let signers = [payer] + kind(true, true) + readOnlySigned
        accountKeys = signers + kind(false, true) + readOnly
        let places = Dictionary(uniqueKeysWithValues: accountKeys.enumerated().map { ($1, UInt8($0)) })
        compiledInstructions = instructions.map { instruction in
            CompiledInstruction(
                program: places[instruction.program] ?? 0, accounts: instruction.accounts.compactMap { places[$0.key] },
                data: instruction.data)
        }
        guard signers.count <= 127 else { throw .tooManyAccounts }
        header = Header(
            requiredSignatures: UInt8(signers.count), readOnlySigned: UInt8(readOnlySigned.count),
            readOnlyUnsigned: UInt8(clamping: readOnly.count))
        self.blockhash = blockhash
        let size = Transaction.size(signatures: signers.count, message: bytes.count)
        guard size <= Transaction.limit else { throw .tooLarge(bytes: size) }
    }

    /// The keys that sign, in order: the payer first.
    public var signers: [PublicKey] { Array(accountKeys.prefix(Int(header.requiredSignatures))) }

    /// Who pays.
    public var payer: PublicKey { accountKeys[0] }

    /// An account key with what the header says of it.
    func account(at place: Int) -> Instruction.Account {
        let signers = Int(header.requiredSignatures)
        let isSigner = place < signers
        let end = isSigner ? signers - Int(header.readOnlySigned) : accountKeys.count - Int(header.readOnlyUnsigned)
        return Instruction.Account(accountKeys[place], isSigner: isSigner, isWritable: place < end)
    }

    /// The instructions, with the flags that their accounts have after merging.
    public var instructions: [Instruction] {
        compiledInstructions.map { compiled in
            Instruction(
                program: accountKeys[Int(compiled.program)],
                accounts: compiled.accounts.map { account(at: Int($0)) }, data: compiled.data)
        }
    }

    /// The bytes that are signed.
    public var bytes: Data {
        var writer = WireWriter()
        writer.append(header.requiredSignatures)
        writer.append(header.readOnlySigned)
        writer.append(header.readOnlyUnsigned)
        writer.count(accountKeys.count)
        for key in accountKeys { writer.append(key.bytes) }
        writer.append(blockhash.bytes)
        writer.count(compiledInstructions.count)
        for instruction in compiledInstructions {
            writer.append(instruction.program)
            writer.count(instruction.accounts.count)
            writer.append(Data(instruction.accounts))
            writer.count(instruction.data.count)
            writer.append(instruction.data)
        }
        return writer.bytes
    }
}

extension Message {
    /// Reads a message: all of `bytes`, and nothing that could be written in another way.
    ///
    /// - Throws: ``TransactionError``.
    public init(bytes: Data) throws(TransactionError) {
        do throws(WireReader.Failure) {
            var reader = WireReader(bytes)
            let first = try reader.byte()
            header = Header(
                requiredSignatures: first, readOnlySigned: try reader.byte(), readOnlyUnsigned: try reader.byte())
            var keys: [PublicKey] = []
            for _ in 0..<(try reader.compactU16()) { keys.append(try reader.key()) }
            accountKeys = keys
            guard let hash = Blockhash(bytes: try reader.take(Blockhash.length)) else { throw .truncated }
            blockhash = hash
            var instructions: [CompiledInstruction] = []
            for _ in 0..<(try reader.compactU16()) {
                let program = try reader.byte()
                let accounts = try reader.take(try reader.compactU16())
                let data = try reader.take(try reader.compactU16())
                instructions.append(CompiledInstruction(program: program, accounts: Array(accounts), data: data))
            }
            compiledInstructions = instructions
            guard reader.left == 0 else { throw .malformed }
        } catch {
            throw error == .truncated ? .truncated : .malformed
        }
        guard header.requiredSignatures < 128 else { throw .versioned }
        try check()
    }

    private func check() throws(TransactionError) {
        let signers = Int(header.requiredSignatures)
        guard signers > 0, signers <= accountKeys.count, accountKeys.count <= 256,
            Int(header.readOnlySigned) < signers, Int(header.readOnlyUnsigned) <= accountKeys.count - signers
        else { throw .wrongHeader }
        guard Set(accountKeys).count == accountKeys.count else { throw .repeatedAccount }
        for instruction in compiledInstructions {
            guard ([instruction.program] + instruction.accounts).allSatisfy({ Int($0) < accountKeys.count }),
                instruction.program > 0
            else { throw .wrongPlace }
        }
    }
}
