import Aquifer
import AquiferFoundation

extension ShadowDriveService {
    /// The maximum number of transactions that are signed when a blockhash is unknown, the first one included.
    private static let tries = 2
    /// The pause between two polls of the chain.
    private static let pause = Duration.seconds(2)
    /// The pause after a poll that failed, which may have taken long itself.
    private static let longPause = Duration.seconds(10)
    /// The maximum wait for the chain. A blockhash is valid for about a minute, so a longer wait means that the node
    /// makes no progress.
    private static let patience = Duration.seconds(240)

    /// What the chain says of a transaction.
    private enum Fate: Sendable {
        /// It was carried out.
        case carriedOut
        /// It is in a block, but it failed and changed nothing.
        case failed
        /// It was not carried out, and can no longer be.
        case impossible
        /// The chain does not give the outcome. The error is that of the last poll, if none of them was answered.
        case unknown(because: DriveError?)
    }

    /// Creates a transaction with a fresh blockhash, signs it and sends it. Two signed transactions that could both be
    /// carried out never exist at the same time.
    ///
    /// "Blockhash not found" does not prove that the transaction is lost. The server's node may lag behind, and another
    /// node may still accept the transaction. The service therefore polls the chain until the transaction is carried
    /// out, or until the last block that could contain it has passed. Only then is another transaction signed, once. A
    /// node that does not know the transaction counts only if its slot is not behind the chain's.
    ///
    /// A node that answers with a signature has only accepted the transaction, and may still drop it. `isAcceptance`
    /// says that the answer is such a one. The service then polls the chain in the same way.
    ///
    /// - Parameters:
    ///   - isAcceptance: true if an answer says only that a node has accepted the transaction.
    ///   - carriedOut: makes the result if the chain reports that a transaction was carried out.
    ///   - onWait: called before the wait for the chain.
    /// - Throws: ``DriveError/outcomeUnknown(because:)`` if the chain does not give the transaction's outcome.
    func freshly<Answer: TransactionAnswer>(
        _ instruction: StorageInstruction, _ account: PublicKey, isAcceptance: Bool = false,
        carriedOut: (Signature) -> Answer, onWait: @Sendable () async -> Void = {},
        send: (SolanaTransaction) async throws(DriveError) -> Answer
    ) async throws(DriveError) -> Answer {
        var left = Self.tries
        while true {
            left -= 1
            let recent = try await rpc.recentBlockhash()
            let transaction = try signed(instruction, account, recent.blockhash)
            let answer: Answer
            do throws(DriveError) {
                answer = try transaction.checked(try await send(transaction))
            } catch {
                guard case .refused(let refusal) = error, let signature = transaction.signature else { throw error }
                if refusal.reason == .alreadyProcessed {
                    try await confirm(signature, error)
                    return carriedOut(signature)
                }
                guard refusal.reason == .staleBlockhash else { throw error }
                await onWait()
                switch await fate(of: signature, recent) {
                case .carriedOut: return carriedOut(signature)
                case .failed: throw error
                case .unknown: throw .outcomeUnknown(because: error)
                case .impossible where left == 0: throw error
                case .impossible: continue
                }
            }
            guard isAcceptance, let signature = transaction.signature else { return answer }
            if try await isCarriedOut(signature, recent, onWait: onWait) { return answer }
            guard left > 0 else { throw .refused(.dropped) }
        }
    }

    /// True if the chain carries out a transaction that a node has accepted. False if it was dropped, and can no longer
    /// be carried out.
    ///
    /// - Parameters:
    ///   - recent: the transaction's blockhash. If it is not known how long it is valid, the result is never false.
    ///   - onWait: called before the wait for the chain, if there is one.
    /// - Throws: ``DriveError/refused(_:)`` if the transaction failed; ``DriveError/outcomeUnknown(because:)`` if the
    ///   chain does not give the outcome in time.
    func isCarriedOut(
        _ signature: Signature, _ recent: RecentBlockhash, onWait: @Sendable () async -> Void
    ) async throws(DriveError) -> Bool {
        switch await fate(of: signature, recent, isAccepted: true, onWait: onWait) {
        case .carriedOut: return true
        case .failed: throw .refused(.failedOnChain)
        case .unknown(let trouble):
            throw .outcomeUnknown(because: Task.isCancelled ? .cancelled : trouble ?? .refused(.unconfirmed))
        case .impossible: return false
        }
    }

    /// The outcome of a transaction. It is `.unknown` if the chain does not give the outcome, or if the task was cancelled.
    ///
    /// A poll that fails says nothing of a transaction that a node has accepted: the next one may be answered.
    ///
    /// - Parameters:
    ///   - isAccepted: true if a node has accepted the transaction. It is then waited for, even if it is not known how
    ///     long its blockhash is valid.
    ///   - onWait: called before the first pause.
    private func fate(
        of signature: Signature, _ recent: RecentBlockhash, isAccepted: Bool = false,
        onWait: @Sendable () async -> Void = {}
    ) async -> Fate {
        let canExpire = recent.lastValidBlockHeight != nil && recent.slot != nil
        var waited = Duration.zero
        var isAnswered = false
        var trouble: DriveError?
        while true {
            var pause = Self.pause
            do throws(DriveError) {
                // The progress is read first: a transaction that is absent after the last valid block stays absent.
                let progress: ChainProgress? = try await canExpire ? rpc.progress() : nil
                let (outcome, slot) = try await rpc.look(for: signature)
                isAnswered = true
                switch outcome {
                case .carriedOut: return .carriedOut
                case .failed: return .failed
                case .unknown: break
                }
                guard isAccepted || (canExpire && slot != nil) else { return .unknown(because: nil) }
                if let progress, let slot, progress.isPast(recent), slot >= progress.slot { return .impossible }
            } catch {
                guard isAccepted else { return .unknown(because: error) }
                (trouble, pause) = (error, Self.longPause)
            }
            guard waited < Self.patience, !Task.isCancelled else {
                return .unknown(because: isAnswered ? nil : trouble)
            }
            if waited == .zero { await onWait() }
            // Sleeping throws only when the task was cancelled.
            do { try await clock.sleep(for: pause) } catch { return .unknown(because: nil) }
            waited += pause
        }
    }

    /// Asks the chain for the outcome of a transaction that may already have been sent, according to `error`.
    ///
    /// - Throws: `error` if the transaction failed; ``DriveError/outcomeUnknown(because:)`` if the chain does not give
    ///   the outcome.
    func confirm(_ signature: Signature, _ error: DriveError) async throws(DriveError) {
        let outcome: TransactionOutcome
        do throws(DriveError) { outcome = try await rpc.outcome(of: signature) } catch { outcome = .unknown }
        switch outcome {
        case .carriedOut: return
        case .failed: throw error
        case .unknown: throw .outcomeUnknown(because: error)
        }
    }

    /// A signed transaction of this owner with a fresh blockhash.
    public func signed(
        _ instruction: StorageInstruction, _ account: PublicKey
    ) async throws(DriveError) -> SolanaTransaction {
        _ = try signer()
        return try signed(instruction, account, try await rpc.latestBlockhash())
    }

    private func signed(
        _ instruction: StorageInstruction, _ account: PublicKey, _ blockhash: Blockhash
    ) throws(DriveError) -> SolanaTransaction {
        let keypair = try signer()
        do throws(TransactionError) {
            var transaction = try program.transaction(
                instruction, owner: keypair.publicKey, account: account, blockhash: blockhash,
                computeBudget: computeBudget)
            try transaction.sign(with: keypair)
            return transaction
        } catch { throw .transaction(error) }
    }
}

extension DriveRefusal {
    /// The chain has a transaction in a block, with an error.
    fileprivate static let failedOnChain = DriveRefusal(
        status: 200, words: "it is in a block with an error", reason: .inVain)
    /// A node has accepted a transaction, and the chain does not have it yet.
    fileprivate static let unconfirmed = DriveRefusal(
        status: 200, words: "it is in no block yet that stays", reason: .unconfirmed)
    /// A node has accepted a transaction, and the chain can no longer carry it out.
    static let dropped = DriveRefusal(
        status: 200, words: "it was not carried out: it is in no block, and its blockhash has expired",
        reason: .staleBlockhash)
}

/// A response that may contain the transaction's signature.
protocol TransactionAnswer: Sendable {
    /// The signature in the response.
    var named: Signature? { get }
}

extension NewStorage: TransactionAnswer {
    var named: Signature? { transactionSignature }
}

extension ChangeAnswer: TransactionAnswer {
    var named: Signature? { transactionSignature }
}

extension Signature: TransactionAnswer {
    var named: Signature? { self }
}

extension SolanaTransaction {
    /// Checks that a response belongs to this transaction. A response with another transaction's signature is an error.
    func checked<Answer: TransactionAnswer>(_ answer: Answer) throws(DriveError) -> Answer {
        guard answer.named == nil || answer.named == signature else {
            throw DriveError.invalidData(
                .body(".transaction_signature is another one than the transaction's")
            ).afterSending
        }
        return answer
    }
}
