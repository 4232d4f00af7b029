import Aquifer
import AquiferFoundation

/// The same as ``SendingLocks``, among machines that share a ledger whose store knows who lives.
///
/// A sender writes the name of its instance of the store into its lease. Nobody decides anything about its payment while that instance
/// lives. The door is an entry of the ledger. Its holder may be taken for dead and live all the same, so that it looks once more,
/// after it has recorded its payment and before it sends it: whoever came after it has seen the record.
struct SharedSending: Sendable {
    static let doorKey = "sending:door"
    /// The time for which a payment waits for the door.
    private static let patience = Duration.seconds(5)

    let store: any CacheStore
    let presence: any StorePresence
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    /// The name of this instance; `nil` while nobody can see that it lives.
    var name: String? { presence.name }

    /// True if the instance that a lease names has gone for certain, false if it may live; `nil` if the lease names none.
    func isGone(_ lease: SendingLease?) async -> Bool? {
        guard let holder = lease?.holder else { return nil }
        // If it cannot be known now, the sender may live.
        return (try? await presence.gone(among: [holder]))?.contains(holder) == true
    }

    /// Enters the section in which payments begin.
    ///
    /// - Throws: `StoreError.busy` if somebody who lives stayed in the section for five seconds.
    func enter(_ owner: UUID, _ number: Int) async throws(StoreError) -> SharedDoor {
        let place = SharedDoor(sharing: self, owner: owner, number: number)
        let end = clock.deadline(after: Self.patience)
        var gone: String?
        while true {
            let mine = Entry(owner: owner, number: number, holder: name, since: now())
            let (isMine, other) = try await take(mine, over: gone)
            if isMine { return place }
            if let holder = other?.holder { gone = await isGoneName(holder) ? holder : nil }
            if gone == nil {
                if end() { throw .busy(path: "the ledger of payments") }
                // A cancelled payment enters as soon as it can: it was decided already.
                try? await clock.sleep(for: .milliseconds(50))
            }
        }
    }

    private func isGoneName(_ holder: String) async -> Bool {
        (try? await presence.gone(among: [holder]))?.contains(holder) == true  // as above
    }

    private func take(_ mine: Entry, over gone: String?) async throws(StoreError) -> (Bool, Entry?) {
        let now = now()
        return try await store.decide(Self.doorKey) { found throws(StoreError) -> (EntryChange, (Bool, Entry?)) in
            if let other = try Self.entry(found), other.owner != mine.owner, !other.isOver(now, gone: gone) {
                return (.keep, (false, other))
            }
            return (.replace(try Self.stored(mine)), (true, nil))
        }
    }

    fileprivate func holds(_ owner: UUID, _ number: Int) async throws(StoreError) -> Bool {
        let entry = try Self.entry(.success(try await store.retrieve(Self.doorKey)))
        return entry?.owner == owner && entry?.number == number
    }

    fileprivate func leave(_ owner: UUID, _ number: Int) async {
        // A door that cannot be left now opens with its instance, or with its time.
        try? await store.update(Self.doorKey) { found throws(StoreError) in
            let entry = try Self.entry(found)
            return entry?.owner == owner && entry?.number == number ? .delete : .keep
        }
    }

    private struct Entry: Codable {
        let owner: UUID
        let number: Int
        let holder: String?
        let since: Date

        func isOver(_ now: Date, gone: String?) -> Bool {
            if let holder { return holder == gone }
            return abs(now.timeIntervalSince(since)) > SendingLease.length.timeInterval
        }
    }

    /// The entry that was found. A damaged one holds nobody back.
    private static func entry(_ found: Result<StoredEntry?, StoreError>) throws(StoreError) -> Entry? {
        do throws(StoreError) {
            // What is no door holds nobody back either.
            return try found.get().flatMap { try? JSONDecoder().decode(Entry.self, from: $0.bytes) }
        } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }

    private static func stored(_ entry: Entry) throws(StoreError) -> StoredEntry {
        do { return StoredEntry(bytes: try JSONEncoder().encode(entry), savedAt: entry.since) } catch {
            throw .failed(operation: "begin a payment", reason: "\(type(of: error))")
        }
    }
}

/// The section in which one payment at a time begins, among machines.
struct SharedDoor: Sendable {
    fileprivate let sharing: SharedSending
    fileprivate let owner: UUID
    fileprivate let number: Int

    /// True if nobody has taken this one for dead since it entered.
    func isHeld() async throws(StoreError) -> Bool { try await sharing.holds(owner, number) }

    /// Leaves the section.
    func close() async { await sharing.leave(owner, number) }
}

extension Clock where Duration == Swift.Duration {
    /// True from a moment on.
    fileprivate func deadline(after span: Duration) -> () -> Bool {
        let end = now.advanced(by: span)
        return { now >= end }
    }
}
