import Aquifer
import Foundation

/// Looks into the stores: what is saved, whether it is good; validates and deletes.
public struct Inspector: Sendable {
    /// Whether an entry may be shown.
    public enum Validity: String, Sendable, Hashable, Codable {
        /// Younger than the policy's age, and whole.
        case fresh
        /// Too old, or from too far in the future.
        case expired
        /// Not what was stored.
        case unreadable
    }

    /// One entry.
    public struct Entry: Sendable, Hashable {
        /// Its key, size, stamp and kind.
        public let summary: StoredEntry.Summary
        /// How often it was given out since this process started.
        public let hits: Int
        /// Whether it may be shown.
        public let validity: Validity
    }

    private let stores: [MeteredStore]
    private let policy: CachePolicy
    private let now: @Sendable () -> Date

    init(stores: [MeteredStore], policy: CachePolicy, now: @escaping @Sendable () -> Date) {
        self.stores = stores
        self.policy = policy
        self.now = now
    }

    /// All entries, values first, then by key. Every entry is read, and its checksum verified.
    public func entries() async throws(StoreError) -> [Entry] {
        var all: [Entry] = []
        for store in stores {
            for summary in try await store.entries() {
                // The count is taken first: looking is not a hit.
                let hits = store.hits(summary.key)
                all.append(Entry(summary: summary, hits: hits, validity: await validity(of: summary, in: store)))
            }
        }
        return all.sorted {
            ($0.summary.kind.rawValue, $0.summary.key) < ($1.summary.kind.rawValue, $1.summary.key)
        }
    }

    /// Deletes what is expired or unreadable, each in one atomic step.
    ///
    /// - Returns: the keys of what was deleted.
    public func validate() async throws(StoreError) -> [String] {
        var removed: [String] = []
        for store in stores {
            for summary in try await store.entries() {
                let deleted = Flag()
                try await store.update(summary.key) { current throws(StoreError) in
                    if case .success(let entry) = current {
                        guard let entry, !policy.isFresh(entry.savedAt, at: now()) else { return .keep }
                    }
                    deleted.raise()
                    return .delete
                }
                if deleted.isRaised { removed.append(summary.key) }
            }
        }
        return removed.sorted()
    }

    /// Deletes one entry.
    ///
    /// - Returns: whether it was there.
    public func delete(_ key: String) async throws(StoreError) -> Bool {
        var found = false
        for store in stores {
            let isHere = try await store.entries().contains { $0.key == key }
            guard isHere else { continue }
            try await store.delete(key)
            found = true
        }
        return found
    }

    /// Deletes every entry.
    ///
    /// - Returns: how many there were.
    public func clear() async throws(StoreError) -> Int {
        var count = 0
        for store in stores {
            for summary in try await store.entries() {
                try await store.delete(summary.key)
                count += 1
            }
        }
        return count
    }

    private func validity(of summary: StoredEntry.Summary, in store: MeteredStore) async -> Validity {
        do throws(StoreError) {
            guard let entry = try await store.peek(summary.key) else { return .expired }
            return policy.isFresh(entry.savedAt, at: now()) ? .fresh : .expired
        } catch {
            return .unreadable
        }
    }
}

/// Set once, from inside a decision that runs elsewhere.
private final class Flag: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var raised = false

    func raise() { lock.withLock { raised = true } }
    var isRaised: Bool { lock.withLock { raised } }
}
