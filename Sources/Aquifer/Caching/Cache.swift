import AquiferFoundation

/// A saved value and its date.
public struct Saved<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The date when the value was saved.
    public var savedAt: Date
    /// The server's validators for it.
    public var validators: Validators
}

extension Saved: Equatable where Value: Equatable {}

/// The use cases "save", "load from cache", "validate cache" and "clear", for one value under one key.
public struct Cache<Value: Sendable>: Sendable {
    /// The key of the entry in the store.
    public let key: String
    /// The policy that decides for how long a copy is fresh.
    public let policy: CachePolicy
    let store: any CacheStore
    private let codec: CacheCodec<Value>
    let kind: StoredEntry.Kind
    private let now: @Sendable () -> Date
    private let aging: Aging?
    /// Told of loads and saves; `nil` if nobody listens.
    let events: (any AquiferEvents)?

    /// Removes the expired parts of a saved value whose parts were fetched at different times, and gives the value the
    /// date of the oldest part that is left. See ``CachePolicy/isFresh(_:at:)`` for the second argument.
    ///
    /// An expired date, such as `Date.distantPast`, means that no part is left: the copy is not delivered, and
    /// ``Cache/validate()`` deletes it.
    public typealias Aging = @Sendable (Saved<Value>, _ isFresh: (Date) -> Bool) -> Saved<Value>

    /// A cache of one value.
    ///
    /// - Parameters:
    ///   - key: the key of the entry in the store.
    ///   - store: the store of the entry.
    ///   - policy: the time for which a copy is fresh; by default, seven days.
    ///   - codec: converts the value to bytes and back.
    ///   - kind: the kind of the entry; `.data` if it may be evicted.
    ///   - aging: removes expired parts of a value whose parts have different ages; its entry has the date of the
    ///     newest part.
    ///   - now: the clock for dates and ages.
    ///   - events: told of each save, and of the loads of a ``Resource`` over this cache.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays, codec: CacheCodec<Value>,
        kind: StoredEntry.Kind = .value, aging: Aging? = nil, now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil
    ) {
        self.key = key
        self.events = events
        self.aging = aging
        self.policy = policy
        self.store = store
        self.codec = codec
        self.kind = kind
        self.now = now
    }

    /// The saved value if it is fresh; `nil` if there is none or it has expired. Has no side effects.
    ///
    /// - Throws: ``StoreError`` when there is an entry and it cannot be read.
    public func load() async throws(StoreError) -> Saved<Value>? {
        try await store.retrieve(key).flatMap { entry throws(StoreError) in try fresh(entry) }
    }

    /// Saves a value with the current date. The value is encoded first, and then replaces the earlier one in one atomic
    /// step.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: ``StoreError`` when the store failed or the value cannot be encoded. The earlier value is then still there.
    @discardableResult
    public func save(_ value: Value, validators: Validators = .none) async throws(StoreError) -> Date {
        let entry = try encode(value, savedAt: now(), validators: validators)
        try await store.insert(entry, for: key)
        if events != nil { tellSaved(entry.bytes.count, since: entry.savedAt) }
        return entry.savedAt
    }

    /// Deletes the entry if it has expired or cannot be read, and keeps it otherwise. The step is atomic, so that it
    /// never deletes a copy that another caller saves meanwhile. An entry with a date in the future is kept, because
    /// the clock may be wrong; it is not delivered if the date is too far ahead.
    ///
    /// - Returns: true if an entry was deleted.
    /// - Throws: ``StoreError`` when the store failed. A failure of the store does not make the entry invalid: it is kept.
    @discardableResult
    public func validate() async throws(StoreError) -> Bool {
        try await store.decide(key) { current throws(StoreError) -> (EntryChange, Bool) in
            try isInvalid(current) ? (.delete, true) : (.keep, false)
        }
    }

    /// Deletes the entry, if there is one.
    ///
    /// - Throws: ``StoreError`` when the store failed.
    public func clear() async throws(StoreError) {
        try await store.delete(key)
    }

    /// Changes the saved value in the store, in one atomic step and without a request. The date is kept, so that the
    /// value does not look fresher than it is. The validators are dropped, because the server never sent this value. A
    /// load whose request was sent earlier does not undo the change.
    ///
    /// Does nothing when no fresh value is saved, or when `change` returns `nil`.
    ///
    /// - Throws: ``StoreError`` when the entry cannot be read or written, or the new value cannot be encoded. The entry is then
    ///   unchanged.
    public func amend(_ change: @Sendable (Value) -> Value?) async throws(StoreError) {
        try await update { current throws(StoreError) in
            guard let entry = try current.get(), let known = try fresh(entry), let value = change(known.value)
            else { return .keep }
            var amended = try encode(value, savedAt: entry.savedAt, validators: .none)
            if let variant = Variant.parts(of: entry.bytes).variant {
                amended.bytes = variant.marking(Variant.parts(of: amended.bytes).bytes)
            }
            amended.origin = changedHere(entry.savedAt)
            // It is another value than the one that was denied.
            amended.asking = entry.asking.isDenied ? .init(askAt: StoredEntry.Asking.newMark()) : entry.asking
            amended.asking.isImmutable = false
            return .replace(amended)
        }
    }

    // MARK: For the composition

    /// The entry as it is stored, fresh or not.
    func entry() async throws(StoreError) -> StoredEntry? {
        try await store.retrieve(key)
    }

    /// The entry, and no copy of it.
    func entryItself() async throws(StoreError) -> StoredEntry? { try await store.entryItself(key) }

    /// See ``CacheStore/persist()``.
    func persist() async throws(StoreError) { try await store.persist() }

    /// Calls `onChange` after each change of the entry.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation {
        store.changes.observe { [key] change in
            if change.concerns(key) { onChange() }
        }
    }

    /// Changes the entry in one atomic step.
    func update(
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        guard let events else { return try await store.update(key, decide) }
        try await telling(events) { note throws(StoreError) in
            try await store.update(key) { found throws(StoreError) in note(try decide(found)) }
        }
    }

    /// Changes the entry in one atomic step, and returns the value of the decision.
    func decide<Outcome: Sendable>(
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> (EntryChange, Outcome)
    ) async throws(StoreError) -> Outcome {
        guard let events else { return try await store.decide(key, decide) }
        return try await telling(events) { note throws(StoreError) in
            try await store.decide(key) { found throws(StoreError) -> (EntryChange, Outcome) in
                let (change, outcome) = try decide(found)
                return (note(change), outcome)
            }
        }
    }

    /// True if the cache is in a scope, which may end.
    var mayEnd: Bool { store.changes.mayEnd }

    /// The leases of the store.
    var leases: (any LoadLeases)? { store.leases }

    /// The changes of the store.
    var storeChanges: StoreChanges { store.changes }

    /// The current time, by the cache's clock.
    var time: Date { now() }

    /// True if the entry is of this version of the codec, and, if the policy follows the server, an answer to such a request.
    func isCurrent(_ entry: StoredEntry, for request: HTTPHeaders) -> Bool {
        let (variant, bytes) = Variant.parts(of: entry.bytes)
        return codec.isCurrent(bytes) && (policy.follows == .app || variant?.matches(request) ?? true)
    }

    /// The value of an entry, fresh or not.
    func decode(_ entry: StoredEntry) throws(StoreError) -> Saved<Value> {
        do {
            let saved = Saved(
                value: try codec.decode(Variant.parts(of: entry.bytes).bytes), savedAt: entry.savedAt,
                validators: entry.validators)
            return aging?(saved, isFresh) ?? saved
        } catch {
            throw .unreadable(key: key, reason: "\(InvalidData(mapping: error))")
        }
    }

    /// The value of an entry, without its expired parts; `nil` if the entry, or all of its parts, have expired.
    func fresh(_ entry: StoredEntry) throws(StoreError) -> Saved<Value>? {
        guard isFresh(entry.savedAt), !entry.isMark else { return nil }
        let saved = try decode(entry)
        return isFresh(saved.savedAt) ? saved : nil
    }

    /// A value as an entry.
    func encode(_ value: Value, savedAt: Date, validators: Validators) throws(StoreError) -> StoredEntry {
        do {
            let bytes = Variant.none(try codec.encode(value))
            return StoredEntry(bytes: bytes, savedAt: savedAt, validators: validators, kind: kind)
        } catch {
            throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
        }
    }

    /// True if a copy that was saved at this date is fresh now.
    func isFresh(_ savedAt: Date) -> Bool { policy.isFresh(savedAt, at: now()) }

    private func isInvalid(_ current: Result<StoredEntry?, StoreError>) throws(StoreError) -> Bool {
        switch current {
        case .success(nil): return false
        case .success(let entry?):
            if entry.isMark { return false }
            if policy.isExpired(entry.savedAt, at: now()) { return true }
            do throws(StoreError) { return policy.isExpired(try decode(entry).savedAt, at: now()) } catch {
                return true
            }
        // A failure of the store does not mean that the entry is invalid.
        case .failure(let error):
            if case .unreadable = error { return true }
            throw error
        }
    }
}

extension Cache where Value: Codable {
    /// A cache of one value: `Data` is kept as its bytes, any other value as JSON.
    ///
    /// - Parameters:
    ///   - key: the key of the entry in the store.
    ///   - store: the store of the entry.
    ///   - policy: the time for which a copy is fresh; by default, seven days.
    ///   - kind: the kind of the entry; `.data` if it may be evicted.
    ///   - aging: removes expired parts of a value whose parts have different ages.
    ///   - now: the clock for dates and ages.
    ///   - events: told of each save, and of the loads of a ``Resource`` over this cache.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays, kind: StoredEntry.Kind = .value,
        aging: Aging? = nil, now: @escaping @Sendable () -> Date = { Date() }, events: (any AquiferEvents)? = nil
    ) {
        // Asked at run time: `Value` may be `Data` where the caller is generic, too.
        let codec = CacheCodec<Data>.raw as? CacheCodec<Value> ?? .json
        self.init(key: key, in: store, policy: policy, codec: codec, kind: kind, aging: aging, now: now, events: events)
    }
}
