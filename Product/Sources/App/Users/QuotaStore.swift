import Aquifer
import AquiferConcurrency

/// A store that takes new entries only while there is room. An entry that is there can always be changed and deleted: what
/// was begun is finished, whatever the bound.
struct QuotaStore: ForwardingStore, SeveralReads, UnflushedChanges {
    let base: any CacheStore
    private let quota: UserQuota

    private typealias Decision = @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange

    init(_ store: any CacheStore, _ quota: UserQuota) {
        (base, self.quota) = (store, quota)
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await update(key) { _ in .replace(entry) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await update(key, isFlushed: true, decide) }

    func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) { try await update(key, isFlushed: false, decide) }

    private func update(_ key: String, isFlushed: Bool, _ decide: Decision) async throws(StoreError) {
        let reservation = try await quota.reservation()
        do throws(StoreError) {
            try await attempt(key, reservation, isFlushed, decide)
        } catch {
            // It may have been made: its bytes are counted until they are measured anew.
            if case .uncertain = error { reservation.keep() }
            throw error
        }
        reservation.keep()
    }

    /// Changes an entry. If there seems to be no room, it is measured anew, and the change tried once more.
    private func attempt(
        _ key: String, _ reservation: UserQuota.Reservation, _ isFlushed: Bool, _ decide: Decision
    ) async throws(StoreError) {
        let needed = Locked<UInt64>(0)
        do throws(StoreError) {
            try await change(key, reservation, needed, isFlushed, decide)
        } catch {
            if case .uncertain = error { throw error }
            reservation.clear()
            // The count may be too high, because nothing is taken off it before it is measured anew.
            let need = needed.withLock(\.self)
            guard need > 0, try await reservation.add(need) else { throw error }
            try await change(key, reservation, needed, isFlushed, decide)
        }
    }

    /// The bytes are reserved within the step of the store: nobody else can take them, and a step that fails gives them back.
    private func change(
        _ key: String, _ reservation: UserQuota.Reservation, _ needed: Locked<UInt64>, _ isFlushed: Bool,
        _ decide: Decision
    ) async throws(StoreError) {
        let quota = quota
        let update = isFlushed ? base.update : base.updateUnflushed
        try await update(key) { found throws(StoreError) in
            needed.withLock { $0 = 0 }
            let change = try decide(found)
            guard case .replace(let entry) = change else { return change }
            let size = UInt64(entry.bytes.count)
            // A run before may have decided otherwise, or reserved as much already.
            let more = size - min(size, reservation.reserved)
            if case .success(nil) = found {
                guard reservation.tryAdd(more) else {
                    needed.withLock { $0 = size }
                    throw quota.isFull
                }
            } else {
                reservation.addAnyway(more)
            }
            return change
        }
    }

    /// They change entries that are there, whatever the bound.
    var batches: (any EntryBatches)? { base.batches }
}
