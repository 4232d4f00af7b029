import AquiferFoundation

/// A blockhash and the validity of transactions that use it.
public struct RecentBlockhash: Sendable, Hashable, Decodable {
    /// The blockhash.
    public let blockhash: Blockhash
    /// The height of the last block that may contain a transaction with it; `nil` if the node does not give it.
    public let lastValidBlockHeight: UInt64?
    /// The slot of the node that gave out the blockhash; `nil` if the node does not give it.
    public internal(set) var slot: UInt64?

    /// A blockhash.
    public init(_ blockhash: Blockhash, lastValidBlockHeight: UInt64? = nil, slot: UInt64? = nil) {
        self.blockhash = blockhash
        self.lastValidBlockHeight = lastValidBlockHeight
        self.slot = slot
    }

    private enum CodingKeys: String, CodingKey { case blockhash, lastValidBlockHeight }
}

/// The progress of a node along the finalized chain.
public struct ChainProgress: Sendable, Hashable, Decodable {
    /// The current slot; slots without a block count too.
    public let slot: UInt64
    /// The number of blocks.
    public let blockHeight: UInt64

    private enum CodingKeys: String, CodingKey {
        case slot = "absoluteSlot"
        case blockHeight
    }

    /// True if no future block can contain a transaction with this blockhash. A slot has at most one block, so the
    /// result is false for a node that is more blocks past the last valid one than slots past the blockhash's slot.
    /// The result is also false if that last block or that slot is unknown.
    public func isPast(_ recent: RecentBlockhash) -> Bool {
        guard let last = recent.lastValidBlockHeight, let start = recent.slot, blockHeight > last else { return false }
        return blockHeight - last <= slot.saturatingSubtracting(start)
    }
}

/// The state of a transaction on the chain.
public enum TransactionOutcome: Sendable, Hashable {
    /// The transaction is in no block, or only in a block that may still be dropped.
    case unknown
    /// The transaction was carried out.
    case carriedOut
    /// The transaction is in a block, but it failed and changed nothing.
    case failed
}

extension SolanaRPC {
    private struct StatusResult: Decodable, Sendable {
        struct Status: Decodable, Sendable {
            let confirmationStatus: String?
            let failed: Bool

            private enum CodingKeys: String, CodingKey { case confirmationStatus, err }

            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                confirmationStatus = try fields.decodeIfPresent(String.self, forKey: .confirmationStatus)
                failed = try fields.contains(.err) && !fields.decodeNil(forKey: .err)
            }
        }
        struct Context: Decodable, Sendable { let slot: UInt64? }
        let context: Context?
        let value: [Status?]
    }

    /// The outcome of a transaction, from the node's recent statuses and from the chain's history.
    public func outcome(of signature: Signature) async throws(DriveError) -> TransactionOutcome {
        try await look(for: signature).outcome
    }

    /// The outcome of a transaction and the slot of the node; the slot is `nil` if the node does not give it.
    func look(for signature: Signature) async throws(DriveError) -> (outcome: TransactionOutcome, slot: UInt64?) {
        let result: StatusResult = try await call(
            "getSignatureStatuses",
            [.list([.text("\(signature)")]), .object(["searchTransactionHistory": .flag(true)])], retry)
        guard result.value.count == 1 else {
            throw .invalidData(.body(".result.value does not hold one status"))
        }
        let slot = result.context?.slot
        guard let status = result.value[0], status.confirmationStatus != "processed" else { return (.unknown, slot) }
        return (status.failed ? .failed : .carriedOut, slot)
    }

    /// The node's progress. One response gives both blocks and slots, because two responses may come from two nodes.
    public func progress() async throws(DriveError) -> ChainProgress {
        try await call("getEpochInfo", [.object(["commitment": .text("finalized")])], retry)
    }

    private struct BalanceResult: Decodable, Sendable { let value: UInt64 }

    /// The balance of a wallet in lamports, which are billionths of a SOL.
    public func lamports(of wallet: PublicKey) async throws(DriveError) -> UInt64 {
        let result: BalanceResult = try await call(
            "getBalance", [.text("\(wallet)"), .object(["commitment": .text("confirmed")])], retry)
        return result.value
    }

    private struct TokenResult: Decodable, Sendable {
        struct Value: Decodable, Sendable { let amount: String }
        let value: Value
    }

    /// The balance of a token account in the token's smallest unit; 0 if the account does not exist.
    public func tokens(in account: PublicKey) async throws(DriveError) -> UInt64 {
        do throws(DriveError) {
            let result: TokenResult = try await call(
                "getTokenAccountBalance", [.text("\(account)"), .object(["commitment": .text("confirmed")])], retry)
            guard let amount = UInt64(result.value.amount) else {
                throw .invalidData(.body(".result.value.amount is no number"))
            }
            return amount
        } catch {
            guard case .refused(let refusal) = error, refusal.words.lowercased().contains("could not find account")
            else { throw error }
            return 0
        }
    }
}
