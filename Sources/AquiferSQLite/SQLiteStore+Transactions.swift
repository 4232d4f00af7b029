import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Several entries at one moment. The mark of an entry is its two checksums: two entries that are equal in all that is stored have one mark.
extension SQLiteStore {
    /// See `TransactionalStore.read(_:)`. All are read in one state of the database: its locks, and the look whether its file is still there, take
    /// longer than a small entry.
    public func read(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        for key in keys where key.isEmpty { throw .invalidKey(key) }
        let found = try readers.read { table throws(StoreError) in
            try table.look { () throws(StoreError) in
                var found: [Result<SeenEntry?, StoreError>] = []
                for key in keys { found.append(try table.seen(key)) }
                return found
            }
        }
        return found ?? keys.map { _ in .success(nil) }
    }

    /// See `DurableStore.read(prefix:after:limit:)`. The entries come in the order of their keys' bytes. If it finds damage, the page is the
    /// last one.
    public func read(prefix: String, after: String?, limit: Int) async throws(StoreError) -> SeenPage {
        let range = KeyRange(prefix: prefix, after: after, limit: max(1, limit))
        let page = try readers.read { table throws(StoreError) in
            try table.look { () throws(StoreError) in try table.seen(range) }
        }
        return page ?? SeenPage(entries: [])
    }

    /// See `TransactionalStore.commit(_:_:)`.
    public func commit(_ writes: [EntryWrite], _ durability: CommitDurability) async throws(StoreError) -> Commit {
        try writes.check()
        let made = Locked((commit: Commit.made([]), changed: [String]()))
        let hasChanged = try await transaction(isFlushed: durability == .now) { table throws(StoreError) in
            var (refused, seals, changing) = ([String](), [EntrySeal?](), [Int]())
            for (place, write) in writes.enumerated() {
                let found = try table.seen(write.key)
                // A damaged entry is one, and has no mark.
                let (mark, exists) =
                    if case .success(let entry) = found { (entry?.mark, entry != nil) } else { (Data?.none, true) }
                if !write.condition.holds(mark, exists: exists) { refused.append(write.key) }
                let seal: EntrySeal? =
                    if case .replace(let entry) = write.change { EntrySeal(entry, key: write.key) } else { nil }
                seals.append(seal)
                if seal != nil || (write.change == .delete && exists) { changing.append(place) }
            }
            if !refused.isEmpty {
                made.withLock { [refused] in $0 = (.refused(refused), []) }
                return nil
            }
            let marks = seals.map { $0?.mark }
            made.withLock { [marks, changing] in $0 = (.made(marks), changing.map { writes[$0].key }) }
            if changing.isEmpty { return nil }
            return { [seals, changing] table throws(StoreError) in
                for place in changing {
                    if case .replace(let entry) = writes[place].change, let seal = seals[place] {
                        _ = try table.upsert(entry, writes[place].key, seal)
                    } else {
                        _ = try table.delete(writes[place].key)
                    }
                }
                return true
            }
        }
        let (commit, changed) = made.withLock { $0 }
        if hasChanged { tell(changed.map { .entry($0) }) }
        return commit
    }
}

extension EntryTable {
    /// The entry under a key with its mark, or its damage.
    fileprivate func seen(_ key: String) throws(StoreError) -> Result<SeenEntry?, StoreError> {
        do throws(StoreError) {
            return .success(try row(key).map { SeenEntry(entry: $0.entry, mark: $0.seal.mark) })
        } catch {
            // A failure that is not about one entry is that of all.
            guard case .unreadable = error else { throw error }
            return .failure(error)
        }
    }

    /// The entries of a range.
    fileprivate func seen(_ range: KeyRange) throws(StoreError) -> SeenPage {
        let listed = try pageNow(range)
        var page = SeenPage(entries: [], damaged: listed.contents.damaged, next: listed.next)
        for entry in listed.contents.entries {
            switch try seen(entry.key) {
            case .success(let seen?): page.entries.append((entry.key, .success(seen)))
            case .success(nil): throw connection.damage("a row is not found by its key")
            case .failure(let error): page.entries.append((entry.key, .failure(error)))
            }
        }
        return page
    }
}

extension EntrySeal {
    fileprivate var mark: Data { withUnsafeBytes(of: (header, body)) { Data($0) } }
}
