import Aquifer
import AquiferFoundation

/// The result of a transaction that was handed over.
public enum HandedOver: Sendable, Hashable {
    /// A storage account was created.
    case created(CreatedAccount)
    /// The server has changed an account.
    case changed(ChangeAnswer)
    /// Solana has carried out the transaction with this signature.
    case sent(Signature)

    /// The signature that identifies the transaction on Solana; `nil` if the server did not give it.
    public var signature: Signature? {
        switch self {
        case .created(let account): account.transactionSignature
        case .changed(let answer): answer.transactionSignature
        case .sent(let signature): signature
        }
    }
}

extension ShadowDriveService {
    /// Sends a transaction that the owner has signed elsewhere, once. The instruction decides if it goes to the API or
    /// directly to Solana. No key is needed.
    ///
    /// A transaction that was already sent and carried out is reported as done.
    ///
    /// - Parameters:
    ///   - transaction: the transaction.
    ///   - name: the name of its account, as the user saw it; `nil` if none was shown. A transaction that makes an account
    ///     immutable or deletes it is not sent if the chain has the account under another name.
    ///   - onWait: called before a wait of some minutes at most, in which the chain carries out what a node has accepted.
    /// - Throws: ``DriveError/transaction(_:)`` and ``DriveError/limit(_:)`` before anything is sent, as
    ///   ``parse(_:)``. A blockhash that the server does not know may be valid on a node ahead of it. The error is
    ///   then ``DriveError/outcomeUnknown(because:)``, unless the chain gives the transaction's outcome.
    public func handOver(
        _ transaction: SolanaTransaction, named name: String? = nil, onWait: @Sendable () async -> Void = {}
    ) async throws(DriveError) -> HandedOver {
        let asked = try parse(transaction)
        switch asked.instruction {
        case .makeImmutable, .requestDeletion: try await check(asked.account, isCalled: name)
        default: break
        }
        do throws(DriveError) {
            switch asked.instruction {
            case .create: return .created(try await createStorageAccount(transaction: transaction))
            case .increase, .increaseImmutable:
                return try await changed(asked, try transaction.checked(try await api.addStorage(transaction)))
            case .decrease:
                return try await changed(asked, try transaction.checked(try await api.reduceStorage(transaction)))
            case .makeImmutable:
                return try await changed(asked, try transaction.checked(try await api.makeImmutable(transaction)))
            case .requestDeletion, .cancelDeletion, .claimStake, .refreshStake, .rename:
                let signature = try await rpc.send(transaction)
                // It is not known how long the blockhash of a foreign transaction is valid.
                let recent = RecentBlockhash(transaction.message.blockhash)
                guard try await isCarriedOut(signature, recent, onWait: onWait) else { throw .refused(.dropped) }
                await follow(asked.instruction, asked.account)
                return .sent(signature)
            }
        } catch {
            guard case .refused(let refusal) = error, let signature = transaction.signature,
                refusal.reason == .staleBlockhash || refusal.reason == .alreadyProcessed
            else { throw error }
            try await confirm(signature, error)
            return try await carriedOut(asked, signature)
        }
    }

    /// The result of a transaction that the chain confirms. A change is not applied to the saved data, because the
    /// first sending may have applied it.
    private func carriedOut(
        _ asked: StorageTransaction, _ signature: Signature
    ) async throws(DriveError) -> HandedOver {
        switch asked.instruction {
        case .create(let name, let bytes):
            let answer = NewStorage(shadowBucket: asked.account, transactionSignature: signature)
            return .created(try await created(asked, name, bytes, answer, isEarlier: true))
        case .increase, .increaseImmutable, .decrease, .makeImmutable:
            return .changed(ChangeAnswer(carriedOut: signature))
        case .requestDeletion, .cancelDeletion, .claimStake, .refreshStake, .rename: return .sent(signature)
        }
    }

    private func changed(_ asked: StorageTransaction, _ answer: ChangeAnswer) async throws(DriveError) -> HandedOver {
        await follow(asked.instruction, asked.account)
        return .changed(answer)
    }

    /// Applies an instruction's change on the chain to the saved data.
    ///
    /// - Parameter reserved: the account's storage after the change, if the server has told it; otherwise it is computed
    ///   from the saved data.
    func follow(_ instruction: StorageInstruction, _ account: PublicKey, reserved: UInt64? = nil) async {
        await amend(account) { account in
            switch instruction {
            case .increase(let bytes), .increaseImmutable(let bytes):
                account.reservedBytes = reserved ?? account.reservedBytes.saturatingAdding(bytes)
            case .decrease(let bytes, _):
                account.reservedBytes = reserved ?? account.reservedBytes.saturatingSubtracting(bytes)
            case .makeImmutable: account.isImmutable = true
            case .requestDeletion: account.isToBeDeleted = true
            case .cancelDeletion: account.isToBeDeleted = false
            case .rename(let name?): account.identifier = name
            case .create, .claimStake, .refreshStake, .rename(nil): break
            }
        }
    }
}
