import AquiferConcurrency
import AquiferFoundation

/// The generation that a ``Scope`` belongs to, from its first use on. Once that generation has ended, the scope has.
final class ScopeLife: Sendable {
    private struct State {
        var generation: String?
        /// The bytes of the mark when the generation was last seen alive: comparing them spares decoding.
        var mark: Data?
        /// True if this object was told to end, even before its first use.
        var hasEnded = false
        /// The bytes of the mark of the count that was met last, and how often it was.
        var counting: (mark: Data, times: Int)?
    }

    /// The number of calls that a count refuses before it is taken for that of a killed process. It lasts as long as one list.
    static let patience = 20

    let name: String
    let keys: ScopeKeys
    let base: any CacheStore
    /// True if it may answer from copies.
    private let mayReadCopies: Bool
    private let makeGeneration: @Sendable () -> UUID
    private let state = Locked(State())

    init(_ name: String, _ base: any CacheStore, _ makeGeneration: @escaping @Sendable () -> UUID = { UUID() }) {
        self.name = name
        keys = ScopeKeys(name)
        self.base = base
        mayReadCopies = base.mayReadCopies
        self.makeGeneration = makeGeneration
    }

    var ended: StoreError { .ended(scope: name) }

    /// The generation of this scope; `nil` before its first use.
    var generation: String? { state.withLock { $0.generation } }

    /// The beginning of this scope's keys in the store around it; `nil` before its first use.
    var prefix: String? { generation.map { keys.generation($0) } }

    /// The name of a new generation: 60 random bits, never drawn twice.
    func newGeneration() -> String {
        String(makeGeneration().uuidString.lowercased().filter { $0 != "-" }.prefix(16))
    }

    /// The beginning of this scope's keys, checked. The first call takes the living generation, or begins one.
    ///
    /// - Throws: ``StoreError/ended(scope:)`` when the generation has ended.
    func enter() async throws(StoreError) -> String {
        if let prefix {
            try await check()
            return prefix
        }
        if state.withLock({ $0.hasEnded }) { throw ended }
        // The ends of other processes are finished first. Each turn of the loop follows a step of one of them.
        for _ in 0..<100 {
            if let generation = try await living() {
                let mine = state.withLock { state in
                    state.generation = state.generation ?? generation
                    return state.generation
                }
                guard mine == generation else { throw ended }
                return keys.generation(generation)
            }
        }
        throw .busy(path: "the scope \(name)")
    }

    /// This object takes no generation any more.
    func end() { state.withLock { $0.hasEnded = true } }

    /// - Throws: ``StoreError/ended(scope:)`` unless the mark names this generation, and no end of it;
    ///   ``StoreError/busy(path:)`` while unsent changes are counted, which may refuse the end.
    /// - Parameters:
    ///   - isAfterChange: true if a change was made or decided against: a copy of the mark, which may be older than an end, proves nothing
    ///     then.
    ///   - isAfterDeletion: true if it was a deletion, which is not taken back. A count does no harm: its number may be too high at most.
    func check(isAfterChange: Bool = false, isAfterDeletion: Bool = false) async throws(StoreError) {
        let found = try await isAfterChange || isAfterDeletion ? itself(keys.mark) : base.retrieve(keys.mark)
        guard let entry = found else { throw ended }
        let (generation, known) = state.withLock { ($0.generation, $0.mark) }
        if entry.bytes == known { return }
        let mark = try ScopeMark(entry, keys.mark)
        guard mark.generation == generation, mark.ending == nil || mark.ending == .counting else { throw ended }
        if mark.ending == nil { return state.withLock { $0.mark = entry.bytes } }
        if isAfterDeletion { return }
        let times = state.withLock { state in
            let times = state.counting?.mark == entry.bytes ? state.counting?.times ?? 0 : 0
            state.counting = (entry.bytes, times + 1)
            return times
        }
        guard times >= Self.patience, try await takeBack(mark) else { throw .busy(path: "the scope \(name)") }
    }

    /// The outcome of a change that met an error of ``check(isAfterChange:)``, and was to be taken back. What an outbox has may have been
    /// moved into the next generation before that.
    func outcome(of error: StoreError, takingBack key: String, isBack: Bool) async -> StoreError {
        guard Outbox.hasEntry(key.split(separator: "/").last.map(String.init) ?? key) else { return error }
        do throws(StoreError) {
            // Nothing is moved before the mark says so.
            if isBack, try await mark()?.predecessor != generation { return error }
        } catch {}  // a mark that cannot be read does not tell
        return .uncertain(operation: "change \"\(key)\"", reason: "\(error)")
    }

    /// Takes a count back. If somebody is still counting, they count again.
    ///
    /// - Returns: true if the generation lives on.
    func takeBack(_ counting: ScopeMark) async throws(StoreError) -> Bool {
        let mark = try await changeMark { current in
            guard var current, current == counting else { return current }
            current.ending = nil
            return current
        }
        return mark?.generation == counting.generation && mark?.ending == nil
    }

    /// Reads an entry of the store around, and no copy of it.
    func itself(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await mayReadCopies ? base.entryItself(key) : base.retrieve(key)
    }

    /// Reads the mark.
    func mark() async throws(StoreError) -> ScopeMark? {
        try await itself(keys.mark).map { entry throws(StoreError) in try ScopeMark(entry, keys.mark) }
    }

    /// Changes the mark in one atomic step, if `change` returns another one; a mark without a generation is deleted.
    ///
    /// - Returns: the mark afterwards.
    func changeMark(_ change: @Sendable (ScopeMark?) -> ScopeMark?) async throws(StoreError) -> ScopeMark? {
        let key = keys.mark
        return try await base.decide(key) { found throws(StoreError) -> (EntryChange, ScopeMark?) in
            let old = try ScopeMark(found, key)
            let new = change(old)
            if old == new { return (.keep, old) }
            guard let new else { return (.delete, nil) }
            return (.replace(try new.entry()), new)
        }
    }

    /// Finishes what it finds begun, or begins a generation.
    ///
    /// - Returns: the living generation; `nil` if the caller must look again.
    private func living() async throws(StoreError) -> String? {
        // A living generation is found without the right to write.
        if let mark = try await mark(), mark.ending == nil, mark.predecessor == nil { return mark.generation }
        let drawn = newGeneration()
        let found = try await changeMark { mark in
            switch mark?.ending {
            case nil where mark != nil, .deleting, .keeping: return mark
            case .counting:
                // Whoever was counting has died, or counts again.
                var mark = mark
                mark?.ending = nil
                return mark
            case .kept:
                var next = ScopeMark(generation: drawn, predecessor: mark?.generation)
                next.attachments = mark?.attachments ?? []
                return next
            case nil: return ScopeMark(generation: drawn)
            }
        }
        guard let mark = found else { return nil }
        let end = ScopeEnd(self)
        if mark.ending != nil {
            try await end.finish(mark)
            return nil
        }
        if mark.predecessor != nil {
            try await end.restore(into: mark)
            return nil
        }
        if mark.generation == drawn { try await end.sweep() }
        return mark.generation
    }
}
