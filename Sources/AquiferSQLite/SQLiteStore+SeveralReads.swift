import Aquifer

extension SQLiteStore: SeveralReads {
    /// See `SeveralReads.retrieve(several:)`. All are read in one state of the database: its locks, and the look whether its file is still
    /// there, take longer than a small entry.
    package func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        do throws(StoreError) {
            let found = try readers.read { table throws(StoreError) in
                try table.look { () throws(StoreError) in Self.select(keys, table) }
            }
            return found ?? Self.answers(keys, .success(nil))
        } catch {
            return Self.answers(keys, .failure(error))
        }
    }

    /// A failure that is not about one entry is that of all further keys: a file that others keep busy is waited for once.
    private static func select(_ keys: [String], _ table: EntryTable) -> [Result<StoredEntry?, StoreError>] {
        var found: [Result<StoredEntry?, StoreError>] = []
        for key in keys {
            guard !key.isEmpty else {
                found.append(.failure(.invalidKey(key)))
                continue
            }
            do throws(StoreError) { found.append(.success(try table.select(key))) } catch {
                found.append(.failure(error))
                if case .unreadable = error { continue }
                return found + answers(keys.dropFirst(found.count), .failure(error))
            }
        }
        return found
    }

    private static func answers(
        _ keys: some Sequence<String>, _ answer: Result<StoredEntry?, StoreError>
    ) -> [Result<StoredEntry?, StoreError>] {
        keys.map { $0.isEmpty ? .failure(.invalidKey($0)) : answer }
    }
}
