import AquiferConcurrency
import AquiferFoundation

/// The data of one user, tenant or document within a store, which can be ended in one step.
///
/// ```swift
/// let user = Scope("user/42", in: store)
/// let contacts = Cache<[Contact]>(key: "contacts", in: user.store)
/// let outbox = Outbox(in: user.store, attachments: folder, client: client)
///
/// try await user.end(unsent: .keep)   // logged out
/// ```
///
/// - Any string is a name. `user/4` is no part of `user/42`. A scope over another scope's ``store`` is a part of that one.
/// - When ``end(unsent:)`` returns, nothing of the scope is in the store, and nothing of it is saved from then on, in any
///   process: a load or an outbox that was stopped before and goes on after throws ``StoreError/ended(scope:)``. Loads and
///   transfers under way are cancelled.
/// - Entries outside of the scope are unchanged.
/// - After a crash in the middle of an end, the next use of a scope of this name finishes it first, and
///   ``finishEnds(in:)`` finishes all.
/// - A scope belongs to one generation, which it takes at its first use: that of the other scopes of its name, or a fresh one if
///   there is none. After an end, make a new `Scope`: the user has logged in again.
///
/// An expired token ends no scope: only ``end(unsent:)`` does. Keys that begin with `scope:` or `scope/` are the scopes' own.
public final class Scope: Sendable {
    /// The name.
    public let name: String
    /// The entries of the scope, under their own keys. Each call throws ``StoreError/ended(scope:)`` after the end.
    ///
    /// A damaged entry of the store around it whose key nobody knows is in no scope: the other store lists it.
    public let store: any CacheStore

    let life: ScopeLife
    private let senders = Locked([Outbox]())

    /// A scope within a store. Reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - store: the store of the entries, with those of others.
    ///   - makeGeneration: draws the name of a generation.
    public init(_ name: String, in store: any CacheStore, makeGeneration: @escaping @Sendable () -> UUID = { UUID() }) {
        self.name = name
        life = ScopeLife(name, store, makeGeneration)
        self.store = ScopedStore(life)
    }

    /// Takes the generation now, and not at the first use: call it when a user has logged in.
    ///
    /// - Throws: ``StoreError/ended(scope:)`` when this scope has ended; the errors of the store.
    public func open() async throws(StoreError) {
        _ = try await life.enter()
    }

    /// Lets files be deleted with the scope: those of ``Downloads``, of a vault, of anything else. They must belong to this scope
    /// alone, and nobody may use them after the end: files know no generation.
    ///
    /// - Parameters:
    ///   - file: a file, or a folder with all that is in it. It need not exist yet.
    ///   - isForUnsent: true for the folder of an outbox's attachments, which stays when unsent changes are kept.
    /// - Throws: ``StoreError/ended(scope:)`` when this scope has ended; the errors of the store.
    public func deleteAtEnd(_ file: URL, isForUnsent: Bool = false) async throws(StoreError) {
        _ = try await life.enter()
        let (path, generation) = (StoreKey(file.standardizedFileURL.path), life.generation)
        let mark = try await life.changeMark { mark in
            guard var mark, mark.generation == generation, mark.ending == nil else { return mark }
            if isForUnsent { mark.attachments.insert(path) } else { mark.files.insert(path) }
            return mark
        }
        guard mark?.generation == generation, mark?.ending == nil else { throw life.ended }
    }

    /// Names an outbox over ``store``, which ``Unsent/sendFirst`` lets send.
    public func register(_ outbox: Outbox) {
        senders.withLock { $0.append(outbox) }
    }

    /// Ends the scope: its user logs out. See ``Scope`` for what is true afterwards.
    ///
    /// Does nothing when it has ended. A call that failed can be repeated. A scope whose own mark is damaged ends with
    /// ``Unsent/discard`` only, and leaves its files.
    ///
    /// - Parameter unsent: what becomes of unsent changes. By default the call throws their number if there are any.
    /// - Throws: ``ScopeError``.
    public func end(unsent: Unsent? = nil) async throws(ScopeError) {
        if unsent == .sendFirst {
            for outbox in senders.withLock({ $0 }) {
                await outbox.retryAll()
                do throws(StoreError) { try await outbox.drain() } catch {
                    // An end that was begun is finished below.
                    if case .ended = error { continue }
                    throw .store(error)
                }
            }
        }
        let count: Int
        do throws(StoreError) { count = try await end(unsent) } catch { throw .store(error) }
        if count > 0 { throw .unsent(count) }
        life.end()
    }

    /// Ends the scope.
    ///
    /// - Returns: the number of unsent changes that keep it from ending.
    private func end(_ unsent: Unsent?) async throws(StoreError) -> Int {
        let end = ScopeEnd(life)
        let mine = life.generation
        let goal = ScopeMark.Ending(unsent)
        for _ in 0..<100 {
            // What is still on its way from the generation before is this one's.
            if goal != .deleting, let mark = try await life.mark(), mark.ending == nil {
                try await end.restore(into: mark)
            }
            guard let mark = try await begin(goal, mine), mark.generation == mine ?? mark.generation else {
                // Someone else has ended it. What was left by killed processes is swept.
                try await end.sweep()
                return 0
            }
            // Somebody has logged in meanwhile, and what was kept is not moved yet.
            guard let ending = mark.ending else { continue }
            guard ending == .counting else {
                if ending != .kept { try await end.finish(mark) }
                return 0
            }
            // Nothing can be queued any more: the number is the last.
            let count: Int
            do throws(StoreError) { count = try await end.unsent(mark.generation) } catch {
                // The scope goes on. If this fails, too, those who use it take the count back.
                _ = try? await life.takeBack(mark)
                throw error
            }
            let changed = try await life.changeMark { current in
                guard var current, current == mark else { return current }
                current.ending = count > 0 ? nil : .deleting
                return current
            }
            if count > 0 { return count }
            guard let next = changed, next.ending == .deleting else { continue }
            try await end.finish(next)
            return 0
        }
        throw .busy(path: "the scope \(name)")
    }

    /// Marks the beginning of the end, or of its counting.
    private func begin(_ goal: ScopeMark.Ending, _ mine: String?) async throws(StoreError) -> ScopeMark? {
        let change: @Sendable (ScopeMark?) -> ScopeMark? = { mark in
            guard var mark, mark.generation == mine ?? mark.generation else { return mark }
            // What is kept of the generation before is moved first, or it would end with this one.
            if mark.ending == nil, mark.predecessor != nil, goal != .deleting { return mark }
            if mark.ending == nil, goal == .counting { mark.counts += 1 }
            if mark.ending == nil || mark.ending == .counting { mark.ending = goal }
            // A discard also discards what was kept, or is being kept.
            if mark.ending == .kept || mark.ending == .keeping, goal == .deleting { mark.ending = goal }
            return mark
        }
        do throws(StoreError) { return try await life.changeMark(change) } catch {
            guard case .unreadable = error, goal == .deleting else { throw error }
            // Nobody knows the generation of a damaged mark. All that are in the store are swept.
            var mark = ScopeMark(generation: life.newGeneration())
            mark.ending = .deleting
            let (key, entry) = (life.keys.mark, try mark.entry())
            try await life.base.update(key) { found throws(StoreError) in
                do throws(StoreError) { _ = try ScopeMark(found, key) } catch {
                    guard case .unreadable = error else { throw error }
                    return .replace(entry)
                }
                return .keep  // the scope began anew meanwhile
            }
            try await ScopeEnd(life).finish(mark)
            return nil
        }
    }

    /// Finishes the ends that a crash has interrupted, of all scopes of a store, and deletes what killed processes have written
    /// after an end. Call it when the app starts. It reads the keys of all scopes.
    ///
    /// - Throws: the first error of the store, after all scopes were tried. Call it again.
    public static func finishEnds(in store: any CacheStore) async throws(StoreError) {
        let marks = try await store.contents(prefix: ScopeKeys.marks).entries.map(\.key)
        let entries = try await store.contents(prefix: ScopeKeys.entries)
        let keys = entries.entries.map(\.key) + entries.damaged.compactMap(\.key)
        let names = Set(
            marks.compactMap { $0.rest(after: ScopeKeys.marks) }
                + keys.compactMap { ScopeKeys.parts($0)?.name })
        var failure: StoreError?
        for name in names.compactMap({ PercentEncoding.decodeStrictly($0) }).sorted() {
            do throws(StoreError) { try await finishEnd(ScopeLife(name, store)) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    private static func finishEnd(_ life: ScopeLife) async throws(StoreError) {
        let mark = try await life.changeMark { mark in
            guard mark?.ending == .counting else { return mark }
            var mark = mark
            mark?.ending = nil
            return mark
        }
        if let mark, mark.ending != nil { try await ScopeEnd(life).finish(mark) }
        try await ScopeEnd(life).sweep()
    }
}

extension ScopeMark.Ending {
    /// The first step of an end.
    fileprivate init(_ unsent: Scope.Unsent?) {
        self =
            switch unsent {
            case .discard: .deleting
            case .keep: .keeping
            case .sendFirst, nil: .counting
            }
    }
}
