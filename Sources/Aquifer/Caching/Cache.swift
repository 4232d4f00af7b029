import AquiferConcurrency
import AquiferFoundation

/// A saved value and its stamp.
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
    private let store: any CacheStore
    private let codec: CacheCodec<Value>
    private let kind: StoredEntry.Kind
    private let now: @Sendable () -> Date
    private let aging: Aging?

    /// Removes the expired parts of a saved value whose parts were fetched at different times, and stamps the value
    /// with the date of the oldest part that is left. See ``CachePolicy/isFresh(_:at:)`` for the second argument.
    ///
    /// An expired stamp, such as `Date.distantPast`, means that no part is left: the copy is not delivered, and
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
    ///   - aging: removes expired parts of a value whose parts have different ages; its entry has the stamp of the
    ///     newest part.
    ///   - now: the clock for stamps and ages.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays, codec: CacheCodec<Value>,
        kind: StoredEntry.Kind = .value, aging: Aging? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.key = key
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

    /// Saves a value with the current time as its stamp. The value is encoded first, and then replaces the earlier one
    /// in one atomic step. On failure the earlier value stays.
    ///
    /// - Returns: the stamp.
    @discardableResult
    public func save(_ value: Value, validators: Validators = .none) async throws(StoreError) -> Date {
        let entry = try encode(value, savedAt: now(), validators: validators)
        try await store.insert(entry, for: key)
        return entry.savedAt
    }

    /// Deletes the entry if it has expired or cannot be read, and keeps it otherwise. The step is atomic, so that it
    /// never deletes a copy that another caller saves meanwhile. An entry with a stamp in the future is kept, because
    /// the clock may be wrong; it is not delivered if the stamp is too far ahead.
    ///
    /// - Returns: true if an entry was deleted.
    @discardableResult
    public func validate() async throws(StoreError) -> Bool {
        let deleted = Locked(false)
        try await store.update(key) { current throws(StoreError) in
            guard try isInvalid(current) else { return .keep }
            deleted.withLock { $0 = true }
            return .delete
        }
        return deleted.withLock { $0 }
    }

    /// Deletes the entry, if there is one.
    public func clear() async throws(StoreError) {
        try await store.delete(key)
    }

    /// Changes the saved value in the store, in one atomic step and without a request. The stamp is kept, so that the
    /// value does not look fresher than it is. The validators are dropped, because the server never sent this value. A
    /// load whose request was sent earlier does not undo the change.
    ///
    /// Does nothing when no fresh value is saved, or when `change` returns `nil`.
    public func amend(_ change: @Sendable (Value) -> Value?) async throws(StoreError) {
        try await store.update(key) { current throws(StoreError) in
            guard let entry = try current.get(), let known = try fresh(entry), let value = change(known.value)
            else { return .keep }
            var amended = try encode(value, savedAt: entry.savedAt, validators: .none)
            amended.origin = StoredEntry.Origin(sentAt: now())
            return .replace(amended)
        }
    }

    // MARK: For the composition

    /// The entry as it is stored, fresh or not.
    func entry() async throws(StoreError) -> StoredEntry? {
        try await store.retrieve(key)
    }

    /// Changes the entry in one atomic step.
    func update(
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await store.update(key, decide)
    }

    /// The current time, by the cache's clock.
    var time: Date { now() }

    /// The value of an entry, fresh or not.
    func decode(_ entry: StoredEntry) throws(StoreError) -> Saved<Value> {
        do {
            let saved = Saved(
                value: try codec.decode(entry.bytes), savedAt: entry.savedAt, validators: entry.validators)
            return aging?(saved, isFresh) ?? saved
        } catch {
            throw .unreadable(key: key, reason: "\(InvalidData(mapping: error))")
        }
    }

    /// The value of an entry, without its expired parts; `nil` if the entry, or all of its parts, have expired.
    func fresh(_ entry: StoredEntry) throws(StoreError) -> Saved<Value>? {
        guard isFresh(entry.savedAt) else { return nil }
        let saved = try decode(entry)
        return isFresh(saved.savedAt) ? saved : nil
    }

    /// A value as an entry.
    func encode(_ value: Value, savedAt: Date, validators: Validators) throws(StoreError) -> StoredEntry {
        do {
            let bytes = try codec.encode(value)
            return StoredEntry(bytes: bytes, savedAt: savedAt, validators: validators, kind: kind)
        } catch {
            throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
        }
    }

    /// True if a copy with this stamp is fresh now.
    func isFresh(_ savedAt: Date) -> Bool { policy.isFresh(savedAt, at: now()) }

    private func isInvalid(_ current: Result<StoredEntry?, StoreError>) throws(StoreError) -> Bool {
        switch current {
        case .success(nil): return false
        case .success(let entry?):
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
    /// A cache of one value, kept as JSON.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays, aging: Aging? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(key: key, in: store, policy: policy, codec: .json, aging: aging, now: now)
    }
}

/// The time for which a saved copy may be delivered instead of the latest.
public struct CachePolicy: Sendable, Hashable {
    /// The age at which a copy expires. A stamp in the future counts by its distance too.
    public var maxAge: Duration

    /// A policy under which a copy is fresh while it is younger than `maxAge`.
    public static func maxAge(_ maxAge: Duration) -> CachePolicy { CachePolicy(maxAge: maxAge) }

    /// Seven days of 86 400 seconds: the policy of every app here.
    public static let sevenDays = CachePolicy.maxAge(.days(7))

    /// A policy under which a copy never expires, for values that the app made and cannot load again.
    public static let forever = CachePolicy.maxAge(.seconds(Int64.max))

    /// True if a copy saved at `savedAt` is fresh at `now`: `|now − savedAt| < maxAge`.
    ///
    /// A copy of exactly `maxAge` is not fresh. A stamp that far in the future is as untrustworthy as one that old: a
    /// clock jumped.
    public func isFresh(_ savedAt: Date, at now: Date) -> Bool {
        abs(now.timeIntervalSince(savedAt)) < maxAge.timeInterval
    }

    /// True if a copy saved at `savedAt` has expired for good at `now`, so that it may be deleted.
    ///
    /// A copy with a stamp in the future has not expired: if the current clock is wrong, the copy will be fresh again.
    public func isExpired(_ savedAt: Date, at now: Date) -> Bool {
        now.timeIntervalSince(savedAt) >= maxAge.timeInterval
    }
}

extension Duration {
    /// Days of 86 400 seconds.
    public static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }

    /// Hours of 3 600 seconds.
    public static func hours(_ hours: Int) -> Duration { .seconds(hours * 3_600) }

    /// Minutes of 60 seconds.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(minutes * 60) }

    /// This duration in seconds.
    public var timeInterval: TimeInterval {
        let parts = components
        return TimeInterval(parts.seconds) + TimeInterval(parts.attoseconds) * 1e-18
    }
}
