import Foundation

/// A value that was saved, and its stamp.
public struct Saved<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// When it was saved.
    public var savedAt: Date
    /// The server's validators for it.
    public var validators: Validators
}

extension Saved: Equatable where Value: Equatable {}

/// The use cases "save", "load from cache", "validate cache" and "clear", for one value under one key.
public struct Cache<Value: Sendable>: Sendable {
    /// The key of the entry in the store.
    public let key: String
    /// How long a copy is good.
    public let policy: CachePolicy
    private let store: any CacheStore
    private let codec: CacheCodec<Value>
    private let kind: StoredEntry.Kind
    private let now: @Sendable () -> Date

    /// A cache of one value.
    ///
    /// - Parameters:
    ///   - key: names the entry in the store.
    ///   - store: where the entry is kept.
    ///   - policy: how long a copy is good; seven days unless told otherwise.
    ///   - codec: how the value becomes bytes.
    ///   - kind: `.data` for what may be evicted.
    ///   - now: the clock that stamps and judges.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays, codec: CacheCodec<Value>,
        kind: StoredEntry.Kind = .value, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.key = key
        self.policy = policy
        self.store = store
        self.codec = codec
        self.kind = kind
        self.now = now
    }

    /// The saved value if it is fresh, `nil` if there is none or it has expired. Has no side effects.
    ///
    /// - Throws: ``StoreError`` when there is an entry and it cannot be read.
    public func load() async throws(StoreError) -> Saved<Value>? {
        guard let entry = try await store.retrieve(key), isFresh(entry.savedAt) else { return nil }
        return try decode(entry)
    }

    /// Saves a value, stamped with the time, in place of the one before: encoded first, then replaced in one atomic
    /// step. On failure the one before is still there.
    ///
    /// - Returns: the stamp.
    @discardableResult
    public func save(_ value: Value, validators: Validators = .none) async throws(StoreError) -> Date {
        let entry = try encode(value, savedAt: now(), validators: validators)
        try await store.insert(entry, for: key)
        return entry.savedAt
    }

    /// Deletes the entry if it has expired or cannot be read, and keeps it otherwise; all in one atomic step, so that
    /// a copy saved meanwhile by someone else is safe.
    ///
    /// - Returns: whether an entry was deleted.
    @discardableResult
    public func validate() async throws(StoreError) -> Bool {
        let deleted = Locked(false)
        try await store.update(key) { current throws(StoreError) in
            guard isInvalid(current) else { return .keep }
            deleted.withLock { $0 = true }
            return .delete
        }
        return deleted.withLock { $0 }
    }

    /// Deletes the entry, if there is one.
    public func clear() async throws(StoreError) {
        try await store.delete(key)
    }

    /// Changes the saved value where it lies, in one atomic step, without the remote. The stamp stays what it was, so
    /// that nothing looks fresher than it is; the validators are dropped, because the server never saw this value.
    ///
    /// Does nothing when nothing fresh is saved, or when `change` returns `nil`.
    public func amend(_ change: @Sendable (Value) -> Value?) async throws(StoreError) {
        try await store.update(key) { current throws(StoreError) in
            guard let entry = try current.get(), isFresh(entry.savedAt), let value = change(try decode(entry).value)
            else { return .keep }
            return .replace(try encode(value, savedAt: entry.savedAt, validators: .none))
        }
    }

    // MARK: For the composition

    /// The entry as it lies, fresh or not: its validators ask the remote whether it changed.
    func entry() async throws(StoreError) -> StoredEntry? {
        try await store.retrieve(key)
    }

    /// The value of an entry, fresh or not.
    func decode(_ entry: StoredEntry) throws(StoreError) -> Saved<Value> {
        do {
            return Saved(value: try codec.decode(entry.bytes), savedAt: entry.savedAt, validators: entry.validators)
        } catch {
            throw .unreadable(key: key, reason: "\(InvalidData(mapping: error))")
        }
    }

    /// Stamps an entry that the remote has just confirmed. One that someone else saved meanwhile is kept as it is.
    func renew(_ confirmed: StoredEntry) async throws(StoreError) -> Date {
        let stamp = now()
        try await store.update(key) { current throws(StoreError) in
            if case .success(let entry?) = current, entry != confirmed { return .keep }
            var entry = confirmed
            entry.savedAt = stamp
            return .replace(entry)
        }
        return stamp
    }

    private func encode(_ value: Value, savedAt: Date, validators: Validators) throws(StoreError) -> StoredEntry {
        do {
            let bytes = try codec.encode(value)
            return StoredEntry(bytes: bytes, savedAt: savedAt, validators: validators, kind: kind)
        } catch {
            throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
        }
    }

    /// Whether a copy of this stamp is good now.
    func isFresh(_ savedAt: Date) -> Bool { policy.isFresh(savedAt, at: now()) }

    private func isInvalid(_ current: Result<StoredEntry?, StoreError>) -> Bool {
        switch current {
        case .success(nil): return false
        case .success(let entry?):
            guard isFresh(entry.savedAt) else { return true }
            do throws(StoreError) { _ = try decode(entry) } catch { return true }
            return false
        case .failure: return true
        }
    }
}

extension Cache where Value: Codable {
    /// A cache of one value, kept as JSON.
    public init(
        key: String, in store: any CacheStore, policy: CachePolicy = .sevenDays,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(key: key, in: store, policy: policy, codec: .json, now: now)
    }
}
