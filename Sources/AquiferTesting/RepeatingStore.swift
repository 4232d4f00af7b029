import Aquifer
import AquiferConcurrency

/// A store for tests that runs each decision of `update` several times, as a shared store may.
///
/// The first runs get what the key had before: no entry, and the last entry that another one has replaced. The last two get the
/// entry that is there. Only the last run counts: what it decides is carried out, and what it throws is thrown.
///
/// A decision that leaves something of an earlier run behind (a flag that is set and not taken back, an element that is
/// appended) shows it over this store. Run the tests of whatever updates a store over it:
///
/// ```swift
/// let store = RepeatingStore(MemoryStore())
/// ```
public final class RepeatingStore: ForwardingStore {
    /// The store that keeps the entries.
    public let base: any CacheStore
    /// The entries that others have replaced or deleted last, by the bytes of their keys.
    private let earlier = Locked<[[UInt8]: StoredEntry]>([:])

    /// A store in front of `base` that repeats decisions.
    public init(_ base: any CacheStore = MemoryStore()) { self.base = base }

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        await remember(key)
        try await base.insert(entry, for: key)
    }

    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) {
        await remember(key)
        try await base.delete(key)
    }

    /// See `CacheStore.update(_:_:)`. It runs `decide` three or four times.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let before = earlier.withLock { $0[Array(key.utf8)] }
        let replaced = Locked<StoredEntry?>(nil)
        try await base.update(key) { found throws(StoreError) in
            for old in before == nil ? [nil] : [nil, before] { Self.run(decide, .success(old)) }
            Self.run(decide, found)
            let change = try decide(found)
            if change != .keep, case .success(let entry?) = found { replaced.withLock { $0 = entry } }
            return change
        }
        if let entry = replaced.withLock({ $0 }) { earlier.withLock { $0[Array(key.utf8)] = entry } }
    }

    /// Runs a decision that another run follows.
    private static func run(
        _ decide: (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange,
        _ found: Result<StoredEntry?, StoreError>
    ) {
        // Neither what it decides nor what it throws counts.
        _ = try? decide(found)
    }

    private func remember(_ key: String) async {
        // What cannot be read now is not given to a decision either.
        guard let entry = try? await base.retrieve(key) else { return }
        earlier.withLock { $0[Array(key.utf8)] = entry }
    }
}
