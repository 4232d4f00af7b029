import AquiferFoundation

/// What the followers of a resource look at: its saved state.
struct UpdateSource<Value: Sendable>: Sendable {
    /// A saved state.
    struct Found: Sendable {
        /// The facts that tell it from another state; `nil` if there is no copy, but only a mark.
        let fingerprint: EntryFingerprint?
        /// The mark of the invalidation that nobody has answered; `nil` if there is none.
        let mark: Date?
        /// True if a load has saved it: it is an answer of the remote, and no change that was made here.
        var isAnswer = false
        /// Called when the followers have made it their own, and not when it was discarded because a load had told another state
        /// meanwhile. It is quick: the hub's lock is held.
        ///
        /// - Parameters:
        ///   - isKnown: true if it is the saved state of before, so that the followers keep what they show.
        ///   - isOver: true if they show ``unsaved``.
        var adopt: @Sendable (_ isKnown: Bool, _ isOver: Bool) -> Void = { _, _ in }
        /// The value with the parts of it that a load could not save; `nil` if there are none.
        var unsaved: Loaded<Value>?
        /// Its value; `nil` if it may not be shown.
        let fresh: @Sendable () throws(StoreError) -> Saved<Value>?
    }

    /// Says how long a value may be shown.
    let policy: CachePolicy
    /// The clock of the stamps.
    let now: @Sendable () -> Date
    /// Calls the function after each change of the saved state.
    let observe: @Sendable (_ onChange: @escaping @Sendable () -> Void) -> StoreObservation
    /// Reads the saved state; `nil` if there is none.
    let find: @Sendable () async throws(StoreError) -> Found?
    /// Asks for a value that was made invalid, unless somebody has asked since.
    let answer: Answer

    /// Called for each new state, once for all followers; `nil` if nobody listens.
    var events: (@Sendable (UpdateCause, _ age: Duration?) -> Void)?

    typealias Answer = @Sendable (_ mark: Date) async throws(LoadError) -> Loaded<Value>?
}

extension UpdateSource {
    /// The entry of a cache.
    init(_ cache: Cache<Value>, answer: @escaping Answer) {
        self.init(
            policy: cache.policy, now: { cache.time }, observe: { cache.observe($0) },
            find: { () async throws(StoreError) -> Found? in
                guard let entry = try await cache.entry() else { return nil }
                return Found(
                    fingerprint: entry.isMark ? nil : EntryFingerprint(entry), mark: entry.asking.mark,
                    isAnswer: entry.isAnswer,
                    fresh: { () throws(StoreError) in try cache.fresh(entry) })
            }, answer: answer, events: cache.updateEvents)
    }
}

extension Cache {
    /// Tells the listener each state that followers are told; `nil` without a listener.
    var updateEvents: (@Sendable (UpdateCause, Duration?) -> Void)? {
        guard let events else { return nil }
        let keyClass = KeyClass(of: key)
        return { events.note(.updated(keyClass, cause: $0, age: $1)) }
    }
}

/// The facts that tell one saved state from another.
struct EntryFingerprint: Sendable, Hashable {
    var savedAt: Date
    var kind: StoredEntry.Kind
    var size: Int
    var checksum: UInt64
    /// See ``StoredEntry/askedAt``.
    var askedAt: Date?
    /// True if the remote denied it.
    var isDenied = false
    /// The facts of what a remote may deny: the value itself, or a list's first page.
    var beginning: Beginning

    struct Beginning: Sendable, Hashable {
        var savedAt = Date.distantPast
        var checksum: UInt64 = 0
    }

    /// Nothing yet.
    static var empty: EntryFingerprint {
        EntryFingerprint(savedAt: .distantPast, kind: .value, size: 0, checksum: 0, beginning: Beginning())
    }
}

extension EntryFingerprint {
    init(_ entry: StoredEntry) {
        let checksum = entry.bytes.withUnsafeBytes { Checksum.xxh64($0) }
        self.init(
            savedAt: entry.savedAt, kind: entry.kind, size: entry.bytes.count, checksum: checksum,
            askedAt: entry.askedAt, isDenied: entry.asking.isDenied,
            beginning: Beginning(savedAt: entry.savedAt, checksum: checksum))
    }
}
