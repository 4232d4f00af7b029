import Aquifer

extension SQLiteStore: SeveralReads {
    /// See `SeveralReads.retrieve(several:)`. All are read in one state of the database: its locks, and the look whether its file is still
    /// there, take longer than a small entry.
    package func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        do throws(StoreError) {
            let found = try readers.read { table throws(StoreError) in
                try table.look { () throws(StoreError) in keys.map { Self.select($0, table) } }
            }
            return found ?? keys.map { $0.isEmpty ? .failure(.invalidKey($0)) : .success(nil) }
        } catch {
            return keys.map { $0.isEmpty ? .failure(.invalidKey($0)) : .failure(error) }
        }
    }

    private static func select(_ key: String, _ table: EntryTable) -> Result<StoredEntry?, StoreError> {
        if key.isEmpty { return .failure(.invalidKey(key)) }
        do throws(StoreError) { return .success(try table.select(key)) } catch { return .failure(error) }
    }
}
