import Aquifer
import AquiferFoundation

/// The same as ``SendingLocks``, among machines that share a ledger whose store has a clock.
///
/// The door is an entry of the ledger with its end, by the store's clock. Its holder may be late, so that it looks once more,
/// after it has recorded its payment and before it sends it: whoever came after it has seen the record.
struct SharedSending: Sendable {
    static let doorKey = "sending:door"
    /// The longest time for which one payment keeps the others from beginning.
    private static let length = Duration.seconds(5)
    /// The time for which a payment waits for the door: longer than one that died keeps it.
    private static let patience = Duration.seconds(10)

    let store: any CacheStore
    let presence: any StorePresence
    let clock: any Clock<Duration>

    /// Enters the section in which payments begin.
    ///
    /// - Throws: `StoreError.busy` if others were in the section for ten seconds.
    func enter(_ owner: UUID, _ number: Int) async throws(StoreError) -> SharedDoor {
        let waits = clock.within(Self.patience)
        while true {
            let time = try await presence.time()
            let mine = Entry(
                owner: owner, number: number, until: time.addingTimeInterval(Self.length.timeInterval))
            if try await take(mine, at: time) { return SharedDoor(sharing: self, owner: owner, number: number) }
            guard waits() else { throw .busy(path: "the ledger of payments") }
            // A cancelled payment enters as soon as it can: it was decided already.
            try? await clock.sleep(for: .milliseconds(50))
        }
    }

    private func take(_ mine: Entry, at time: Date) async throws(StoreError) -> Bool {
        try await store.decide(Self.doorKey) { found throws(StoreError) -> (EntryChange, Bool) in
            if let other = try Self.entry(found), other.owner != mine.owner, other.isCurrent(at: time) {
                return (.keep, false)
            }
            return (.replace(try Self.stored(mine, at: time)), true)
        }
    }

    fileprivate func holds(_ owner: UUID, _ number: Int) async throws(StoreError) -> Bool {
        let entry = try Self.entry(.success(try await store.retrieve(Self.doorKey)))
        return entry?.owner == owner && entry?.number == number
    }

    fileprivate func leave(_ owner: UUID, _ number: Int) async {
        // A door that cannot be left now opens with its time.
        try? await store.update(Self.doorKey) { found throws(StoreError) in
            let entry = try Self.entry(found)
            return entry?.owner == owner && entry?.number == number ? .delete : .keep
        }
    }

    private struct Entry: Codable {
        let owner: UUID
        let number: Int
        let until: Date

        /// A clock that was set back must not keep everybody out: who comes too early loses nothing, because the other one looks again.
        func isCurrent(at time: Date) -> Bool {
            let left = until.timeIntervalSince(time)
            return left > 0 && left <= SharedSending.length.timeInterval
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

    private static func stored(_ entry: Entry, at time: Date) throws(StoreError) -> StoredEntry {
        do { return StoredEntry(bytes: try JSONEncoder().encode(entry), savedAt: time) } catch {
            throw .failed(operation: "begin a payment", reason: "\(type(of: error))")
        }
    }
}

/// The section in which one payment at a time begins, among machines.
struct SharedDoor: Sendable {
    fileprivate let sharing: SharedSending
    fileprivate let owner: UUID
    fileprivate let number: Int

    /// True if nobody has entered after this one.
    func isHeld() async throws(StoreError) -> Bool { try await sharing.holds(owner, number) }

    /// Leaves the section.
    func close() async { await sharing.leave(owner, number) }
}
