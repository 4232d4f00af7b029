import AquiferFoundation

/// Items of a store that reads and changes several entries at once (``CacheStore/batches``).
extension OutboxShelf {
    /// An item that an outbox has claimed, as it is in the store: nobody has changed it as long as it is so.
    typealias Claimed = SeenEntry

    /// The outcome of an attempt to claim an item.
    struct Attempt: Sendable {
        /// The item afterwards; `nil` if somebody else was quicker, so that nobody knows.
        let finding: Finding?
        /// Set if the item was claimed.
        var claimed: Claimed?
    }

    /// Items as they are at one moment.
    func find(_ numbers: [UInt64], _ batches: any EntryBatches) async throws(StoreError) -> [Finding] {
        try await batches.retrieve(numbers.map(Self.key)).map { found throws(StoreError) in try Self.finding(found).0 }
    }

    /// Claims items, and deletes others, in one step of the store.
    ///
    /// - Returns: the outcome of each claim; and for each item to delete, true if it was as it is given.
    func step(
        claims: [(number: UInt64, rule: ClaimRule)], deletions: [(number: UInt64, seen: Claimed)],
        _ batches: any EntryBatches
    ) async throws(StoreError) -> (claims: [Attempt], deletions: [Bool]) {
        var changes = deletions.map { SeenChange(Self.key($0.number), $0.seen, replacement: nil) }
        var attempts: [Attempt] = []
        var tried: [(attempt: Int, record: OutboxRecord)] = []
        let found = claims.isEmpty ? [] : try await batches.retrieve(claims.map { Self.key($0.number) })
        for (claim, found) in zip(claims, found) {
            let (finding, seen) = try Self.finding(found)
            guard case .record(var record) = finding, let seen, claim.rule.claim(&record) else {
                attempts.append(Attempt(finding: finding))
                continue
            }
            record.version += 1
            tried.append((attempts.count, record))
            attempts.append(Attempt(finding: nil))
            changes.append(SeenChange(Self.key(claim.number), seen, replacement: try entry(record)))
        }
        if changes.isEmpty { return (attempts, []) }
        let made = try await asOwn { [changes] () async throws(StoreError) in try await batches.change(changes) }
        for (claim, made) in zip(tried, made.dropFirst(deletions.count)) {
            if let made { attempts[claim.attempt] = Attempt(finding: .record(claim.record), claimed: made) }
        }
        return (attempts, made.prefix(deletions.count).map { $0 != nil })
    }

    private static func finding(
        _ found: Result<SeenEntry?, StoreError>
    ) throws(StoreError) -> (Finding, SeenEntry?) {
        do throws(StoreError) {
            guard let seen = try found.get() else { return (.nothing, nil) }
            return (decode(seen.entry), seen)
        } catch {
            guard case .unreadable(_, let reason) = error else { throw error }
            return (.damaged(reason), nil)
        }
    }

    // MARK: Own changes

    /// The shelf that makes the change which an observer is told of now.
    @TaskLocal static var changing: Identity?

    /// Tells a shelf from others.
    final class Identity: Sendable {}

    /// True if a change that is told now is one of this shelf.
    var isChanging: Bool { Self.changing === identity }

    /// Makes a change, of which the store tells observers as of one of this shelf.
    func asOwn<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await Self.$changing.withValue(identity) { () async -> Result<Value, StoreError> in
            do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
        }.get()
    }
}

/// The rule by which an outbox claims an item.
struct ClaimRule: Sendable {
    let lease: OutboxRecord.Lease
    let now: Date
    /// True if the item may be sent before its time.
    let isReleased: Bool
    let holders: ClaimHolders
    /// The version that the outbox knows of an item with a claim, and for how long.
    let unchanged: (version: String, time: Duration)?

    /// Claims the item, if it may be sent now and nobody else sends it.
    func claim(_ record: inout OutboxRecord) -> Bool {
        let isWaiting = record.head.wait?.left(now, isReleased: isReleased) != nil
        guard record.head.refusal == nil, !record.head.isConfirmed, !record.head.isPaused, !isWaiting,
            !isTaken(record)
        else { return false }
        // The last sender was killed, or could not save the outcome.
        if record.head.lease != nil { record.head.mayHaveArrived = true }
        record.head.lease = lease
        return true
    }

    /// True while another outbox may be sending the item.
    private func isTaken(_ record: OutboxRecord) -> Bool {
        guard let other = record.head.lease, other.owner != lease.owner else { return false }
        // A claim that was renewed since is a new one.
        let time = unchanged.map { $0.version == "\(record.version)" ? $0.time : .zero } ?? .zero
        return holders.left(of: other, now, unchanged: time) != nil
    }
}
