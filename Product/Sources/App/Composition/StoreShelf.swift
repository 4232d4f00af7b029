import Aquifer
import Foundation

/// A store as the inspector sees it.
struct StoreShelf: InspectedShelf {
    /// The name of the file: `values.sqlite`. Reports also use it to locate a damaged entry.
    let name: String
    let store: MeteredStore
    let policy: CachePolicy
    /// True if the store's entries were made here and cannot be loaded again.
    var isOwn = false
    let now: @Sendable () -> Date

    func entries() async throws(StoreError) -> [Inspector.Entry] {
        let contents = try await store.contents()
        var entries = contents.damaged.map { damaged in
            Inspector.Entry(
                key: key(of: damaged), kind: .value, validity: .unreadable, reason: damaged.reason, isOwn: isOwn)
        }
        for summary in contents.entries {
            // The count is taken first: looking is not a hit.
            var entry = Inspector.Entry(
                key: summary.key, kind: summary.kind, size: summary.size, savedAt: summary.savedAt,
                hits: store.hits(summary.key), validity: .fresh, isOwn: isOwn)
            (entry.validity, entry.reason) = await judge(summary.key)
            entries.append(entry)
        }
        return entries
    }

    func validate() async throws(StoreError) -> ShelfValidation {
        let contents = try await store.contents()
        var validation = ShelfValidation()
        for damaged in contents.damaged {
            let key = key(of: damaged)
            if isSpared(key) {
                validation.spared.append(spared(key, damaged.reason))
            } else {
                try await store.remove(damaged)
                validation.removed.append(key)
            }
        }
        for summary in contents.entries {
            let key = summary.key
            if isSpared(key) {
                let (validity, reason) = await judge(key)
                if validity == .unreadable { validation.spared.append(spared(key, reason ?? "")) }
            } else if try await tidy(key) {
                validation.removed.append(key)
            }
        }
        return validation
    }

    func isSpared(_ key: String) -> Bool { isOwn && KnownEntries.isIrreplaceable(key) }

    /// Deletes an entry that is expired or unreadable. Returns false if it is neither.
    private func tidy(_ key: String) async throws(StoreError) -> Bool {
        try await store.decide(key) { current -> (EntryChange, Bool) in
            isBad(current, key) ? (.delete, true) : (.keep, false)
        }
    }

    /// The report of a damaged entry that stays where it is.
    private func spared(_ key: String, _ reason: String) -> StoreError {
        .failed(
            operation: "read \"\(key)\"",
            reason:
                "\(reason); it is kept, because nothing can load it again; put \(name) back from a backup, or delete it:"
                + " aquifer cache clear '\(key)'")
    }

    func delete(_ key: String) async throws(StoreError) -> Bool {
        let contents = try await store.contents()
        var found = false
        for damaged in contents.damaged where self.key(of: damaged) == key {
            try await store.remove(damaged)
            found = true
        }
        if contents.entries.contains(where: { $0.key == key }) {
            try await store.delete(key)
            found = true
        }
        return found
    }

    private func key(of damaged: DamagedEntry) -> String { damaged.key ?? "\(name) \(damaged.place)" }

    private func judge(_ key: String) async -> (Inspector.Validity, String?) {
        do throws(StoreError) {
            guard let entry = try await store.peek(key) else { return (.expired, nil) }
            if let reason = KnownEntries.problem(with: entry, key: key) { return (.unreadable, reason) }
            return (Inspector.Validity(entry.savedAt, policy, now()), nil)
        } catch {
            if case .unreadable(_, let reason) = error { return (.unreadable, reason) }
            return (.unreadable, "\(error)")
        }
    }

    private func isBad(_ current: Result<StoredEntry?, StoreError>, _ key: String) -> Bool {
        switch current {
        case .success(nil): false
        case .success(let entry?):
            policy.isExpired(entry.savedAt, at: now()) || KnownEntries.problem(with: entry, key: key) != nil
        // A store that fails says nothing about its entries.
        case .failure(let error): if case .unreadable = error { true } else { false }
        }
    }
}
