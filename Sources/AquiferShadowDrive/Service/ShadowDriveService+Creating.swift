import Aquifer
import AquiferFoundation

/// A storage account that was created.
public struct CreatedAccount: Sendable, Hashable {
    /// The account.
    public let account: StorageAccount
    /// The signature that identifies the transaction on Solana.
    public let transactionSignature: Signature
    /// The error of adding the account to the saved list, if any. The account was still created.
    public let saveError: StoreError?
}

/// A step in the creation of a storage account.
public enum CreationStep: String, Sendable, Hashable, CaseIterable {
    /// The owner's accounts are counted.
    case counting
    /// A fresh blockhash is requested, and the transaction is signed.
    case signing
    /// The transaction is sent to the server.
    case sending
    /// The server did not know the blockhash. Another transaction is signed only after the first one has expired, which
    /// takes about a minute.
    case waiting
}

extension ShadowDriveService {
    /// Creates a storage account: counts the owner's accounts, requests a fresh blockhash, signs and sends the
    /// transaction, and adds the account to the saved list. Concurrent calls run one after the other, because each
    /// account has its own number.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 bytes.
    ///   - size: in bytes, 1 KiB to 1 TiB.
    ///   - onStep: called with the next step.
    /// - Throws: ``DriveError``; `.limit` before anything is sent, `.outcomeUnknown` only after the transaction was
    ///   sent.
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
        let answer = try await freshly(
            .create(name: name, bytes: size), address,
            carriedOut: { NewStorage(shadowBucket: address, transactionSignature: $0) },
            onWait: { await onStep(.waiting) },
            send: { (transaction) async throws(DriveError) in
                await onStep(.sending)
                return try await self.api.createStorageAccount(transaction)
            })
        let account = StorageAccount(
            address: address, identifier: name, reservedBytes: size, owner: keypair.publicKey, counterSeed: counter,
            creationTime: creationTime)
        return try await created(account, by: answer, isFirst: counter == 0)
    }

    /// Creates a storage account with a transaction that the owner has signed elsewhere, which is the specification's
    /// input.
    ///
    /// - Throws: ``DriveError/transaction(_:)`` before anything is sent, if it is not an `initialize_account2` with the
    ///   owner's signature; otherwise as ``createStorageAccount(name:size:onStep:)``. The caller must replace a
    ///   blockhash that is too old.
    public func createStorageAccount(transaction: SolanaTransaction) async throws(DriveError) -> CreatedAccount {
        let asked = try parse(transaction)
        guard case .create(let name, let size) = asked.instruction else {
            throw .transaction(.unexpected("the transaction does not make a storage account"))
        }
        let answer = try transaction.checked(try await api.createStorageAccount(transaction))
        return try await created(asked, name, size, answer)
    }

    /// The result of a transaction that creates an account.
    ///
    /// - Parameter isEarlier: true if an earlier sending created the account. The saved data may then be newer.
    func created(
        _ asked: StorageTransaction, _ name: String, _ size: UInt64, _ answer: NewStorage, isEarlier: Bool = false
    ) async throws(DriveError) -> CreatedAccount {
        let isFirst = program.storageAccount(of: asked.owner, counter: 0) == asked.account
        let account = StorageAccount(
            address: asked.account, identifier: name, reservedBytes: size, owner: asked.owner,
            counterSeed: isFirst ? 0 : nil, creationTime: creationTime)
        return try await created(account, by: answer, isFirst: isFirst, isEarlier: isEarlier)
    }

    /// Parses a transaction that the owner has signed elsewhere. The instruction, the accounts, the owner's signature
    /// and the limits are checked without the server. Nothing is sent.
    ///
    /// - Throws: ``DriveError/transaction(_:)``, ``DriveError/limit(_:)``.
    public func parse(_ transaction: SolanaTransaction) throws(DriveError) -> StorageTransaction {
        let asked: StorageTransaction
        do throws(TransactionError) {
            asked = try program.parse(transaction)
            try transaction.verify(allowingMissing: asked.instruction.kind.needsUploader ? [program.uploader] : [])
        } catch { throw .transaction(error) }
        if case .create(let name, let size) = asked.instruction { try Self.check(name: name, size: size) }
        return asked
    }

    /// The number of accounts that an owner has ever created, which is the number of the next account. It is 0 if the
    /// chain does not know the owner.
    public func accountCounter(of owner: PublicKey) async throws(DriveError) -> UInt32 {
        try await rpc.account(program.userInfo(of: owner), of: program.id, as: UserInfo.self)?.accountCounter ?? 0
    }

    /// The time of day in seconds since 1970.
    private var creationTime: UInt64 { UInt64(exactly: max(0, now().timeIntervalSince1970).rounded(.down)) ?? 0 }

    private static func check(name: String, size: UInt64) throws(DriveError) {
        do throws(LimitError) {
            try LimitError.check(name: name)
            try LimitError.check(size: size)
        } catch { throw .limit(error) }
    }

    private func created(
        _ account: StorageAccount, by answer: NewStorage, isFirst: Bool, isEarlier: Bool = false
    ) async throws(DriveError) -> CreatedAccount {
        guard answer.shadowBucket == nil || answer.shadowBucket == account.address else {
            throw DriveError.invalidData(.body(".shdw_bucket is another account than the one asked for")).afterSending
        }
        var saveError: StoreError?
        let shelf = AccountShelf(key: Self.key(api, account.owner1), store: store, now: now)
        do throws(StoreError) {
            if isEarlier { try await shelf.addMissing(account) } else { try await shelf.add(account, isFirst: isFirst) }
        } catch { saveError = error }
        return CreatedAccount(
            account: account, transactionSignature: answer.transactionSignature, saveError: saveError)
    }
}
