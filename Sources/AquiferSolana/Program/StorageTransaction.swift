import AquiferFoundation

/// A parsed transaction with one instruction of the program: the instruction, the owner and the storage account.
public struct StorageTransaction: Sendable, Hashable {
    /// The instruction.
    public let instruction: StorageInstruction
    /// The wallet that owns the storage account, pays and signs.
    public let owner: PublicKey
    /// The storage account.
    public let account: PublicKey
    /// The compute budget.
    public let computeBudget: ComputeBudget
}

extension ShadowDriveProgram {
    /// The unsigned transaction of one instruction. The owner pays and signs. If the server must sign too, its
    /// signature is added later.
    ///
    /// - Throws: ``TransactionError/tooLarge(bytes:)`` for a name that does not fit.
    public func transaction(
        _ instruction: StorageInstruction, owner: PublicKey, account: PublicKey, blockhash: Blockhash,
        computeBudget: ComputeBudget = .none
    ) throws(TransactionError) -> SolanaTransaction {
        try SolanaTransaction(
            payer: owner,
            instructions: computeBudget.instructions
                + [self.instruction(instruction, owner: owner, account: account)],
            blockhash: blockhash)
    }

    /// Parses a transaction with one instruction of this program, after the instructions of a compute budget. The
    /// accounts and flags must be exactly those that the program requires for this owner. The keys may be in any order.
    /// Signatures are not checked.
    ///
    /// - Throws: ``TransactionError/unexpected(_:)`` with the reason.
    public func parse(_ transaction: SolanaTransaction) throws(TransactionError) -> StorageTransaction {
        let message = transaction.message
        let all = message.instructions
        let (budget, count) = ComputeBudget.reading(all)
        guard all.count == count + 1, let asked = all.last else {
            throw .unexpected("the transaction must hold one instruction after those of its compute budget")
        }
        guard asked.program == id else {
            throw .unexpected("the transaction asks \(asked.program), not Shadow Drive's program")
        }
        guard let instruction = StorageInstruction(data: asked.data) else {
            throw .unexpected("the transaction's instruction is none of Shadow Drive's, or its arguments are wrong")
        }
        let place = instruction.kind == .create ? 2 : 1
        guard place < asked.accounts.count else {
            throw .unexpected("the transaction's instruction has too few accounts")
        }
        let account = asked.accounts[place].key
        let wanted = try Message(
            payer: message.payer,
            instructions: budget.instructions
                + [self.instruction(instruction, owner: message.payer, account: account)],
            blockhash: message.blockhash)
        guard wanted.instructions == all, Set(wanted.accountKeys) == Set(message.accountKeys) else {
            throw .unexpected(
                "the transaction's accounts are not those of \(instruction.kind.rawValue) for the owner \(message.payer)"
            )
        }
        return StorageTransaction(
            instruction: instruction, owner: message.payer, account: account, computeBudget: budget)
    }
}
