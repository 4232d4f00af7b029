import Aquifer
import Foundation

/// A storage account that was made.
public struct CreatedAccount: Sendable, Hashable {
    /// The account.
    public let account: StorageAccount
    /// What Solana knows the transaction by.
    public let transactionSignature: Signature
    /// Why it could not be added to the saved list. It was made all the same.
    public let saveError: StoreError?
}

/// How far the making of a storage account is.
public enum CreationStep: String, Sendable, Hashable, CaseIterable {
    /// The owner's accounts are counted.
    case counting
    /// A fresh blockhash is asked for, and the transaction signed.
    case signing
    /// The transaction is with the server.
    case sending
}

extension ShadowDriveService {
    /// Makes a storage account: counts the owner's, takes a fresh blockhash, signs and sends the transaction, and adds the
    /// account to the saved list. Several at once wait for each other, for each account has a number of its own.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 bytes.
    ///   - size: in bytes, 1 KiB to 1 TiB.
    ///   - onStep: told what is done next.
    /// - Throws: ``DriveError``; `.limit` before anything is sent, `.outcomeUnknown` only once the transaction was.
    public func createStorageAccount(
        name: String, size: UInt64, onStep: @Sendable (CreationStep) async -> Void = { _ in }
    ) async throws(DriveError) -> CreatedAccount {
        let keypair = try signer()
        try Self.check(name: name, size: size)
        await onStep(.counting)
        if !creation.tryEnter() { await creation.enter() }
        defer { creation.leave() }
        guard !Task.isCancelled else { throw .cancelled }
        let counter = try await accountCounter(of: keypair.publicKey)
        let address = program.storageAccount(of: keypair.publicKey, counter: counter)
        await onStep(.signing)
        let answer = try await freshly(.create(name: name, bytes: size), address) {
            (transaction) async throws(DriveError) in
            await onStep(.sending)
            return try await self.api.createStorageAccount(transaction)
        }
        let account = StorageAccount(
            address: address, identifier: name, reservedBytes: size, owner: keypair.publicKey, counterSeed: counter,
            creationTime: UInt64(max(0, now().timeIntervalSince1970)))
        return try await created(account, by: answer, isFirst: counter == 0)
    }

    /// Makes a storage account with a transaction that the owner has signed elsewhere: the specification's input.
    ///
    /// - Throws: ``DriveError/transaction(_:)`` before anything is sent, if it is not an `initialize_account2` with the
    ///   owner's signature; else as ``createStorageAccount(name:size:)``. A blockhash that is too old is the caller's to
    ///   replace.
    public func createStorageAccount(transaction: Transaction) async throws(DriveError) -> CreatedAccount {
        let asked: StorageTransaction
        do throws(TransactionError) {
            asked = try program.understand(transaction)
            try transaction.verify(allowingMissing: [program.uploader])
        } catch { throw .transaction(error) }
        guard case .create(let name, let size) = asked.instruction else {
            throw .transaction(.unexpected("the transaction does not make a storage account"))
        }
        try Self.check(name: name, size: size)
        let answer = try await api.createStorageAccount(transaction)
        let isFirst = program.storageAccount(of: asked.owner, counter: 0) == asked.account
        let account = StorageAccount(
            address: asked.account, identifier: name, reservedBytes: size, owner: asked.owner,
            counterSeed: isFirst ? 0 : nil, creationTime: UInt64(max(0, now().timeIntervalSince1970)))
        return try await created(account, by: answer, isFirst: isFirst)
    }

    /// How many accounts an owner has ever made: the number of the next one. 0 where the chain does not know the owner.
    public func accountCounter(of owner: PublicKey) async throws(DriveError) -> UInt32 {
        try await rpc.account(program.userInfo(of: owner), of: program.id, as: UserInfo.self)?.accountCounter ?? 0
    }

    private static func check(name: String, size: UInt64) throws(DriveError) {
        do throws(LimitError) {
            try LimitError.check(name: name)
            try LimitError.check(size: size)
        } catch { throw .limit(error) }
    }

    private func created(
        _ account: StorageAccount, by answer: NewStorage, isFirst: Bool
    ) async throws(DriveError) -> CreatedAccount {
        guard answer.shadowBucket == nil || answer.shadowBucket == account.address else {
            throw DriveError.invalidData(.body(".shdw_bucket is another account than the one asked for")).afterSending
        }
        var saveError: StoreError?
        let shelf = AccountShelf(key: Self.key(api, account.owner1), store: store, now: now)
        do throws(StoreError) { try await shelf.add(account, isFirst: isFirst) } catch { saveError = error }
        return CreatedAccount(
            account: account, transactionSignature: answer.transactionSignature, saveError: saveError)
    }

    /// Makes a transaction with a fresh blockhash, signs it and has it sent. If it is refused because the blockhash was
    /// too old, once more with another one; never in any other case.
    func freshly<Answer: Sendable>(
        _ instruction: StorageInstruction, _ account: PublicKey,
        send: (Transaction) async throws(DriveError) -> Answer
    ) async throws(DriveError) -> Answer {
        do throws(DriveError) {
            return try await send(signed(instruction, account))
        } catch {
            guard case .refused(let refusal) = error, refusal.reason == .staleBlockhash else { throw error }
            return try await send(signed(instruction, account))
        }
    }

    /// A transaction of this owner with a fresh blockhash, signed.
    public func signed(
        _ instruction: StorageInstruction, _ account: PublicKey
    ) async throws(DriveError) -> Transaction {
        let keypair = try signer()
        let blockhash = try await rpc.latestBlockhash()
        do throws(TransactionError) {
            var transaction = try program.transaction(
                instruction, owner: keypair.publicKey, account: account, blockhash: blockhash,
                computeBudget: computeBudget)
            try transaction.sign(with: keypair)
            return transaction
        } catch { throw .transaction(error) }
    }
}
