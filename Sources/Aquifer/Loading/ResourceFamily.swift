import AquiferConcurrency
import AquiferFoundation

/// Resources by key: one for each article, user or search.
///
/// ```swift
/// let articles = ResourceFamily(in: store) { (id: Int) in
///     Resource(remote: remote(id), cache: Cache(key: "article:\(id)", in: store))
/// }
/// let loaded = try await articles[7].load()
/// ```
///
/// - All who ask for a key get the same resource while anyone holds it, so that they share its requests.
/// - After that, the resources that were used last are kept, up to a bound. Others are released; what they saved stays in the
///   store.
/// - A key that is a `String` is compared by its bytes, as the stores do. A key of another type is compared by its own `==`: one that has texts
///   in it takes those for equal that only look the same.
/// - The family needs memory for the resources that are held, and for those that it keeps.
public final class ResourceFamily<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Makes the resource of a key.
    public typealias Make = @Sendable (Key) -> Resource<Value>

    /// A key that compares a text by its bytes, as the stores do with the keys that are made of it.
    private struct Exact: Hashable {
        let key: Key
        private let text: StoreKey?

        init(_ key: Key) { (self.key, text) = (key, (key as? String).map { StoreKey($0) }) }
    }

    private struct Weak {
        weak var resource: Resource<Value>?
    }

    private struct State {
        var known: [Exact: Weak] = [:]
        /// The resources that were used last, the last one at the end.
        var recent: [(key: Exact, resource: Resource<Value>)] = []
        /// The number of known keys at which those are forgotten whose resource is gone.
        var sweepAt = 64

        /// Moves a resource to the end of those that are kept; returns those that are kept no longer.
        mutating func use(_ key: Exact, _ resource: Resource<Value>, _ keeping: Int) -> [Resource<Value>] {
            if let place = recent.lastIndex(where: { $0.key == key }) { recent.remove(at: place) }
            recent.append((key, resource))
            let surplus = max(0, recent.count - keeping)
            defer { recent.removeFirst(surplus) }
            return recent.prefix(surplus).map(\.resource)
        }

        /// Forgets the keys whose resource is gone, once there are twice as many keys as after the last time.
        mutating func sweep() {
            guard known.count >= sweepAt else { return }
            known = known.filter { $0.value.resource != nil }
            sweepAt = max(64, 2 * known.count)
        }
    }

    private let store: (any CacheStore)?
    private let keeping: Int
    private let tags: @Sendable (String) -> [String]
    private let make: Make
    private let state = Locked(State())

    /// A family.
    ///
    /// - Parameters:
    ///   - store: the store of the entries. ``invalidate(prefix:)`` and ``invalidate(tag:)`` then also reach entries whose
    ///     resource nobody holds, and those of earlier runs.
    ///   - keeping: the number of resources that are kept after nobody else holds them; by default, 32.
    ///   - tags: the tags of an entry, by its key in the store; by default, none.
    ///   - make: makes the resource of a key. It may run again for a key whose resource was released, and must not use the
    ///     family.
    public init(
        in store: (any CacheStore)? = nil, keeping: Int = 32,
        tags: @escaping @Sendable (String) -> [String] = { _ in [] },
        make: @escaping Make
    ) {
        self.store = store
        self.keeping = max(0, keeping)
        self.tags = tags
        self.make = make
    }

    /// The resource of a key: the one that somebody holds or that is kept, or a new one.
    public subscript(key: Key) -> Resource<Value> {
        resource(key, isUsed: true)
    }

    /// The number of keys that the family remembers.
    package var count: Int { state.withLock { $0.known.count } }

    /// Makes the value of a key invalid, as ``Resource/invalidate()`` does.
    public func invalidate(_ key: Key) async throws(StoreError) {
        try await resource(key, isUsed: false).invalidate()
    }

    /// Makes the values invalid whose entries have keys in the store that begin with `prefix`, compared byte by byte.
    /// So does ``invalidate(tag:)`` with those that have the tag. A value that another process is loading for the first time has
    /// no entry yet, and is left out: ``invalidate(_:)`` meets it.
    ///
    /// - Throws: ``StoreError`` when the store failed. Some of the values may then be invalid already; call it again.
    public func invalidate(prefix: String) async throws(StoreError) {
        try await invalidate(prefix) { $0.utf8.starts(with: prefix.utf8) }
    }

    /// Makes the values invalid whose entries have this tag.
    ///
    /// ```swift
    /// let family = ResourceFamily(in: store, tags: { $0.hasPrefix("article:") ? ["news"] : [] }) { … }
    /// try await family.invalidate(tag: "news")
    /// ```
    ///
    /// - Throws: ``StoreError`` when the store failed. Some of the values may then be invalid already; call it again.
    public func invalidate(tag: String) async throws(StoreError) {
        try await invalidate { [tags] in tags($0).contains(tag) }
    }

    /// Loads values ahead of need. Failures are ignored: ``Resource/load()`` reports them.
    ///
    /// It displaces no resource that is kept, and asks for nothing that ``Resource/load()`` delivers without a request.
    /// Cancelling the task ends it.
    ///
    /// - Parameters:
    ///   - keys: the keys, in the order in which they are begun.
    ///   - width: the number of loads at once; by default, 4.
    public func prefetch(_ keys: [Key], width: Int = 4) async {
        await withTaskGroup(of: Void.self) { group in
            for (number, key) in keys.enumerated() {
                if number >= max(1, width) { await group.next() }
                if Task.isCancelled { break }
                group.addTask {
                    _ = try? await self.resource(key, isUsed: false).load()  // see above
                }
            }
        }
    }

    /// - Parameter prefix: the beginning of all chosen keys.
    private func invalidate(
        _ prefix: String = "", where isChosen: @Sendable (String) -> Bool
    ) async throws(StoreError) {
        let held = state.withLock { $0.known.values.compactMap(\.resource) }.filter { isChosen($0.cache.key) }
        // A resource counts its invalidations, so that a load under way is overtaken also where nothing is saved yet.
        for resource in held { try await resource.invalidate() }
        let keys = Set(held.map { StoreKey($0.cache.key) })
        try await store?.invalidate(prefix: prefix) { isChosen($0) && !keys.contains(StoreKey($0)) }
    }

    private func resource(_ key: Key, isUsed: Bool) -> Resource<Value> {
        let exact = Exact(key)
        // These are released after the lock is given back.
        var released: [Resource<Value>] = []
        defer { withExtendedLifetime(released) {} }
        if let found = state.withLock({ $0.known[exact]?.resource }) {
            if isUsed { state.withLock { released = $0.use(exact, found, keeping) } }
            return found
        }
        // Unknown code runs outside of the lock. The first one of two callers decides.
        let new = make(key)
        return state.withLock { state in
            let resource = state.known[exact]?.resource ?? new
            state.known[exact] = Weak(resource: resource)
            if isUsed { released = state.use(exact, resource, keeping) }
            state.sweep()
            return resource
        }
    }
}
