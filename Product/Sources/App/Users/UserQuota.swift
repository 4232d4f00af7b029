import Aquifer
import AquiferConcurrency
import Foundation

/// The bound on what one user keeps on this machine: the entries of the user's scope, and the files that wait or were uploaded.
///
/// Shared data that can be loaded again is not counted. An entry that was counted once is counted until the sum reaches the
/// bound; then it is measured anew, so that nothing is refused that has room.
final class UserQuota: Sendable {
    /// A bound that no user reaches by use: 1 GiB.
    static let usual: UInt64 = 1 << 30

    /// The bound in bytes.
    let bound: UInt64
    private let store: any CacheStore
    private let folder: URL
    private let counted = Locked<UInt64?>(nil)

    init(bound: UInt64, _ store: any CacheStore, folder: URL) {
        (self.bound, self.store, self.folder) = (bound, store, folder)
    }

    /// The bytes that may still be kept.
    func room(for bytes: UInt64 = 1) async throws(StoreError) -> UInt64 {
        if let used = counted.withLock(\.self), used <= bound, bound - used >= bytes { return bound - used }
        let used = try await measured()
        counted.withLock { $0 = used }
        return used < bound ? bound - used : 0
    }

    /// Notes that bytes were kept.
    func add(_ bytes: UInt64) {
        counted.withLock { used in used = used.map { $0.addingReportingOverflow(bytes).partialValue } }
    }

    /// The error of a user who has reached the bound.
    var isFull: StoreError {
        .failed(
            operation: "save it",
            reason:
                "this user may keep \(bound) bytes on this server, and they are used up; discard something that waits")
    }

    /// The bytes that are kept now.
    func measured() async throws(StoreError) -> UInt64 {
        let entries = try await store.contents().entries.reduce(UInt64(0)) { $0 + UInt64(max(0, $1.size)) }
        let folder = folder
        return await withCheckedContinuation { continuation in
            // Files are counted beside the tasks, which are few.
            DispatchQueue.global().async { continuation.resume(returning: entries + Self.bytes(below: folder)) }
        }
    }

    private static func bytes(below folder: URL) -> UInt64 {
        let path = folder.path(percentEncoded: false)
        var sum: UInt64 = 0
        for name in FileManager.default.enumerator(atPath: path) ?? .init() {
            guard let name = name as? String,
                let status = POSIX.status("\(path)/\(name)", followsLink: false), status.kind == .file
            else { continue }
            sum += UInt64(max(0, status.size))
        }
        return sum
    }
}

/// A store that takes new entries only while there is room. An entry that is there can always be changed and deleted: what
/// was begun is finished, whatever the bound.
struct QuotaStore: CacheStore {
    private let store: any CacheStore
    private let quota: UserQuota

    init(_ store: any CacheStore, _ quota: UserQuota) {
        (self.store, self.quota) = (store, quota)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try await store.retrieve(key) }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await update(key) { _ in .replace(entry) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let room = try await quota.room()
        let (added, needed) = (Locked<UInt64>(0), Locked<UInt64>(0))
        do throws(StoreError) {
            try await change(key, room, added, needed, decide)
        } catch {
            // The count may be too high, because nothing is taken off it before it is measured anew.
            let need = needed.withLock(\.self)
            guard need > 0, try await quota.room(for: need) >= need else { throw error }
            try await change(key, .max, added, needed, decide)
        }
        quota.add(added.withLock(\.self))
    }

    private func change(
        _ key: String, _ room: UInt64, _ added: Locked<UInt64>, _ needed: Locked<UInt64>,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let quota = quota
        try await store.update(key) { found throws(StoreError) in
            // A run before may have decided otherwise.
            added.withLock { $0 = 0 }
            needed.withLock { $0 = 0 }
            let change = try decide(found)
            guard case .replace(let entry) = change else { return change }
            let size = UInt64(entry.bytes.count)
            if case .success(nil) = found {
                guard size <= room else {
                    needed.withLock { $0 = size }
                    throw quota.isFull
                }
            }
            added.withLock { $0 = size }
            return change
        }
    }

    func delete(_ key: String) async throws(StoreError) { try await store.delete(key) }
    func contents() async throws(StoreError) -> StoreContents { try await store.contents() }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await store.contents(prefix: prefix)
    }

    func persist() async throws(StoreError) { try await store.persist() }
    func deleteAll(prefix: String) async throws(StoreError) { try await store.deleteAll(prefix: prefix) }
    func remove(_ damaged: DamagedEntry) async throws(StoreError) { try await store.remove(damaged) }
    var changes: StoreChanges { store.changes }
    var presence: (any StorePresence)? { store.presence }
    /// They change entries that are there, whatever the bound.
    var batches: (any EntryBatches)? { store.batches }
    var leases: (any LoadLeases)? { store.leases }
}
