import Aquifer

extension Verdict {
    /// An error of a store, by its kind.
    public static func told(_ error: StoreError) -> Verdict { .told(error.kind) }

    /// Reads each of these entries, and the list of all.
    ///
    /// An entry is what it was, or its error is told. The list names each entry as readable or as damaged, and no
    /// other.
    public static func of(_ store: any CacheStore, holding entries: [String: StoredEntry]) async -> Verdict {
        var verdict = Verdict.unchanged
        for (key, entry) in entries {
            do throws(StoreError) {
                guard let found = try await store.retrieve(key) else { return .wrong("\(key) is missing") }
                if found != entry { return .wrong("\(key) is another entry") }
            } catch { verdict = .told(error) }
        }
        do throws(StoreError) {
            let contents = try await store.contents()
            let damaged = contents.damaged.map(\.key)
            for summary in contents.entries {
                guard let entry = entries[summary.key], summary == StoredEntry.Summary(entry, key: summary.key) else {
                    return .wrong("the list has \(summary)")
                }
            }
            let listed = Set(contents.entries.map(\.key))
            let unlisted = entries.keys.filter { !listed.contains($0) && !damaged.contains($0) }
            // A damaged entry may have lost its key.
            let nameless = damaged.count { key in key.map { entries[$0] == nil } ?? true }
            if unlisted.count > nameless { return .wrong("the list leaves out \(unlisted.sorted())") }
            if !damaged.isEmpty { verdict = .told("listed as damaged") }
        } catch { verdict = .told(error) }
        return verdict
    }
}
