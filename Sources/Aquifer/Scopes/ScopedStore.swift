import AquiferConcurrency
import AquiferFoundation

/// The entries of a ``Scope`` under their own keys.
///
/// The generation is a part of every key in the store around it. Each change is checked before it is made and again
/// after: when the mark still names the generation then, an end that comes later deletes the change with the rest.
/// Otherwise the change is taken back and the call throws. Nobody ever reads the keys of an ended generation, except for a login
/// that moves unsent changes: one that it may have moved before it could be taken back is ``StoreError/uncertain(operation:reason:)``.
final class ScopedStore: SeveralReads, CopiedReads, UnflushedChanges {
    let changes: StoreChanges
    private let ends: StoreChanges
    private let life: ScopeLife
    private var base: any CacheStore { life.base }
    /// Keeps the order of the calls through the steps of each.
    private let turn = Turnstile()

    init(_ life: ScopeLife) {
        self.life = life
        changes = StoreChanges(ofScope: { [life] changes in
            life.base.changes.observe { change in
                if let own = Self.own(change, life) { changes.post(own) }
            }
        })
        ends = ScopedLeases.ends(of: life)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let prefix = try await beginning()
        let found = await own(key) { () async throws(StoreError) in try await self.base.retrieve(prefix + key) }
        // The end may have deleted the entry meanwhile: it is not missing.
        try await life.check()
        return try found.get()
    }

    func retrieveItself(_ key: String) async throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        let prefix = try await beginning()
        let found = await own(key) { () async throws(StoreError) in try await self.life.itself(prefix + key) }
        try await life.check(isAfterChange: true)
        return try found.get()
    }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        do throws(StoreError) {
            let prefix = try await beginning()
            // An empty key stays empty: it alone is refused.
            let found = await base.entries(under: keys.map { $0.isEmpty ? $0 : prefix + $0 })
            // The end may have deleted entries meanwhile: they are not missing.
            try await life.check()
            return zip(keys, found).map { key, found in found.mapError { $0.renamed(key) } }
        } catch {
            return keys.map { .failure($0.isEmpty ? .invalidKey($0) : error) }
        }
    }

    /// The beginning of the keys of this generation.
    private func beginning() async throws(StoreError) -> String {
        if let known = life.prefix { known } else { try await life.enter() }
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        // The entry before is put back if the scope turns out not to take changes now.
        try await update(key) { _ in .replace(entry) }
    }

    func delete(_ key: String) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try await inTurn { prefix async throws(StoreError) in
            try await self.base.delete(prefix + key)
            try await self.life.check(isAfterDeletion: true)
        }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await update(key, isFlushed: true, decide)
    }

    func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await update(key, isFlushed: false, decide)
    }

    private func update(
        _ key: String, isFlushed: Bool,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        let prefix = try await life.enter()
        let done = Locked<(before: StoredEntry?, after: StoredEntry?)?>(nil)
        let update = isFlushed ? base.update : base.updateUnflushed
        try await update(prefix + key) { found throws(StoreError) in
            let found = found.mapError { $0.renamed(key) }
            let change = try decide(found)
            // A run before may have decided to replace.
            done.withLock { $0 = nil }
            if case .delete = change { done.withLock { $0 = (nil, nil) } }
            if case .replace(let entry) = change {
                // A damaged entry that was replaced cannot be put back. One that the system cannot read now could not
                // either, and may be undamaged: it stays.
                let before: StoredEntry?
                do throws(StoreError) { before = try found.get() } catch {
                    guard case .unreadable = error else { throw error }
                    before = nil
                }
                done.withLock { $0 = (before, entry) }
            }
            return change
        }
        guard let (before, after) = done.withLock({ $0 }) else { return try await life.check(isAfterChange: true) }
        guard let after else { return try await life.check(isAfterDeletion: true) }
        do throws(StoreError) { try await life.check(isAfterChange: true) } catch {
            // An unsent change that is kept is put back as it was. If this fails too, it is swept with its generation, or moved.
            let isBack = try? await base.decide(prefix + key) { found throws(StoreError) -> (EntryChange, Bool) in
                guard try found.get() == after else { return (.keep, false) }
                return (before.map { .replace($0) } ?? .delete, true)
            }
            throw await life.outcome(of: error, takingBack: key, isBack: isBack == true)
        }
    }

    func contents() async throws(StoreError) -> StoreContents { try await contents(prefix: "") }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        let own = try await life.enter()
        let contents = try await base.contents(prefix: own + prefix)
        try await life.check()
        return Self.own(contents, own)
    }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        let own = try await life.enter()
        let page = try await base.page(prefix: own + prefix, after: after.map { own + $0 }, limit: limit)
        try await life.check()
        return StorePage(Self.own(page.contents, own), next: page.next.flatMap { $0.rest(after: own) })
    }

    func mostBytes() async throws(StoreError) -> Int? { try await base.mostBytes() }

    private static func own(_ contents: StoreContents, _ own: String) -> StoreContents {
        var contents = contents
        for index in contents.entries.indices {
            contents.entries[index].key = contents.entries[index].key.rest(after: own) ?? ""
        }
        for index in contents.damaged.indices {
            contents.damaged[index].key = contents.damaged[index].key.flatMap { $0.rest(after: own) }
        }
        return contents
    }

    func persist() async throws(StoreError) { try await base.persist() }

    /// The presence that the store around knows.
    var presence: (any StorePresence)? { base.presence }

    /// The batches of the store around, under the keys of the generation.
    var batches: (any EntryBatches)? { base.batches.map { ScopedBatches(base: $0, life: life) } }

    /// The leases of the store around, under the keys of the generation: users wait for nobody else's loads.
    var leases: (any LoadLeases)? { base.leases.map { ScopedLeases(base: $0, life: life, ends: ends) } }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await inTurn { own async throws(StoreError) in
            try await self.base.deleteAll(prefix: own + prefix)
            try await self.life.check(isAfterDeletion: true)
        }
    }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        try await inTurn { prefix async throws(StoreError) in
            // A place tells nothing of whose the entry is.
            let own = try await self.base.contents(prefix: prefix).damaged.first { $0.place == damaged.place }
            if let own { try await self.base.remove(own) }
            try await self.life.check(isAfterDeletion: true)
        }
    }

    /// Runs a change after all earlier ones, with the beginning of the keys.
    private func inTurn(
        _ body: @Sendable (_ prefix: String) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        try await body(try await life.enter())
    }

    private func own(
        _ key: String, _ read: () async throws(StoreError) -> StoredEntry?
    ) async -> Result<StoredEntry?, StoreError> {
        do throws(StoreError) { return .success(try await read()) } catch { return .failure(error.renamed(key)) }
    }

    /// A change of the store around, as the scope sees it; `nil` if it does not concern the scope.
    private static func own(_ change: StoreChange, _ life: ScopeLife) -> StoreChange? {
        // Before the first use there is nothing to tell.
        guard let own = life.prefix else { return nil }
        if change.concerns(life.keys.mark) { return .everything }
        switch change {
        case .entry(let key): return key.rest(after: own).map { .entry($0) }
        case .prefix(let prefix):
            if own.hasBytes(prefix) { return .everything }
            return prefix.rest(after: own).map { .prefix($0) }
        case .everything: return .everything
        }
    }
}

extension StoreError {
    /// The error with the scope's own key.
    func renamed(_ key: String) -> StoreError {
        if case .unreadable(_, let reason) = self { .unreadable(key: key, reason: reason) } else { self }
    }
}
