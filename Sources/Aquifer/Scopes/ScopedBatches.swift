/// The batches of a ``Scope``, under the keys of its generation.
struct ScopedBatches: EntryBatches {
    let base: any EntryBatches
    let life: ScopeLife

    func retrieve(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        let own = try await life.enter()
        let found = try await base.retrieve(keys.map { own + $0 })
        // The end may have deleted entries meanwhile: they are not missing.
        try await life.check()
        return zip(keys, found).map { key, found in found.mapError { $0.renamed(key) } }
    }

    func change(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?] {
        for change in changes where change.key.isEmpty { throw .invalidKey(change.key) }
        let own = try await life.enter()
        let made = try await base.change(
            changes.map { change in SeenChange(own + change.key, change.seen, replacement: change.replacement) })
        let isDeletion = changes.allSatisfy { $0.replacement == nil }
        do throws(StoreError) { try await life.check(isAfterChange: true, isAfterDeletion: isDeletion) } catch {
            // An unsent change that is kept is put back as it was.
            let back = zip(changes, made).compactMap { change, made in
                made.flatMap { now in
                    change.replacement == nil ? nil : SeenChange(own + change.key, now, replacement: change.seen.entry)
                }
            }
            guard let first = back.first?.key.rest(after: own) else { throw error }
            // If this fails too, it is swept with its generation, or moved.
            let isBack = try? await base.change(back).allSatisfy { $0 != nil }
            throw await life.outcome(of: error, takingBack: first, isBack: isBack == true)
        }
        return made
    }
}
