import AquiferFoundation

/// The message that the signers of a transaction sign: accounts, a blockhash and instructions, in the legacy format.
public struct Message: Sendable, Hashable {
    /// The number of account keys that sign, and the numbers of read-only keys.
    public struct Header: Sendable, Hashable {
        /// The number of keys that sign, from the start of the account keys.
        public var requiredSignatures: UInt8
        /// The number of read-only keys at the end of the signing keys.
        public var readOnlySigned: UInt8
        /// The number of read-only keys at the end of the other keys.
        public var readOnlyUnsigned: UInt8
    }

    /// An instruction whose accounts are indices into the account keys.
    public struct CompiledInstruction: Sendable, Hashable {
        /// The index of the program.
        public var program: UInt8
        /// The indices of the accounts.
        public var accounts: [UInt8]
        /// The data for the program.
        public var data: Data
    }

    /// The header.
    public let header: Header
    /// The accounts, in this order: the payer, other writable signers, read-only signers, other writable accounts,
    /// other read-only accounts.
    public let accountKeys: [PublicKey]
    /// The recent blockhash, which dates the transaction.
    public let blockhash: Blockhash
    /// The instructions.
    public let compiledInstructions: [CompiledInstruction]

    /// Compiles instructions.
    ///
    /// Keys are merged: an account that signs or is writable in one instruction signs or is writable in all. The payer
    /// comes first. The other keys are ordered by kind, and by their bytes within a kind.
    ///
    /// - Throws: ``TransactionError/tooManyAccounts`` above 256 accounts or 127 signers;
    ///   ``TransactionError/tooLarge(bytes:)`` if the transaction would be too large.
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
        let size = SolanaTransaction.size(signatures: signers.count, message: bytes.count)
        guard size <= SolanaTransaction.limit else { throw .tooLarge(bytes: size) }
    }

    /// The keys that sign, in order. The payer is the first.
    public var signers: [PublicKey] { Array(accountKeys.prefix(Int(header.requiredSignatures))) }

    /// The account that pays.
    public var payer: PublicKey { accountKeys[0] }

    /// An account key with its flags from the header.
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
    /// Reads a message, which must be all of `bytes` and in its only valid encoding.
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
