import Foundation

/// A store that keeps each entry in a file of its own, in a folder of its own.
///
/// Keeps the whole ``CacheStore`` contract, with many processes on one folder, and more: a write is flushed to the
/// device before it is acknowledged, so that it survives the loss of power too. Needs no library; for many small
/// entries `SQLiteStore` is about ten times faster to write.
///
/// Reading takes no lock: a file is only ever replaced whole. Writing takes an advisory lock on a file in the folder.
/// The folder can be entered, and its files read, by this user only.
public final class FileStore: CacheStore {
    private let folder: StoreFolder
    private let patience: Duration
    private let queue = SerialQueue("aquifer.file-store")

    /// Opens the store in `directory`, making it, with those above it, if it is missing or empty.
    ///
    /// - Parameters:
    ///   - directory: a folder that is a store already, or is to become one.
    ///   - patience: how long a write waits for another process before it throws ``StoreError/busy(path:)``.
    /// - Throws: ``StoreError/notAStore(path:)`` if there is anything else at `directory`,
    ///   ``StoreError/newerVersion(path:found:supported:)``, ``StoreError/readOnly(path:)`` if it is missing and
    ///   cannot be made. A store that cannot be written to can be opened and read; what writes throws.
    public init(directory: URL, patience: Duration = .seconds(5)) throws(StoreError) {
        folder = StoreFolder(path: directory.standardizedFileURL.path)
        self.patience = patience
        try folder.open(patience: patience)
    }

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try read(key)
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await write { () throws(StoreError) in try self.put(entry, key) }
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        try await write { () throws(StoreError) in try self.remove(key) }
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await write { () throws(StoreError) in
            guard !key.isEmpty else { throw .invalidKey(key) }
            let found = Result { () throws(StoreError) in try self.read(key) }
            switch try decide(found) {
            case .keep: break
            case .replace(let entry): try self.put(entry, key)
            case .delete: try self.remove(key)
            }
        }
    }

    /// See ``CacheStore/entries()``. Opens every file.
    public func entries() async throws(StoreError) -> [StoredEntry.Summary] {
        var summaries: [StoredEntry.Summary] = []
        for name in try POSIX.names(in: folder.path) where name.hasSuffix(FileName.suffix) {
            guard let file = try POSIX.openToRead(folder.path + "/" + name) else { continue }  // deleted meanwhile
            // A file that cannot be read is left out, and stays where it is: that is the contract.
            guard let head = try? EntryFile(file).head().summary, FileName.of(head.key) == name else { continue }
            summaries.append(head)
        }
        return summaries
    }

    /// The folder.
    public var directory: URL { URL(fileURLWithPath: folder.path, isDirectory: true) }

    /// Where `key` is kept.
    package func path(of key: String) -> String { folder.path + "/" + FileName.of(key) }

    private func write(_ body: @Sendable () throws(StoreError) -> Void) async throws(StoreError) {
        try await queue.run { () throws(StoreError) in try self.folder.exclusively(self.patience, body) }
    }

    private func read(_ key: String) throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        guard let file = try POSIX.openToRead(path(of: key)) else { return nil }
        let damage: EntryCoding.Damage
        do {
            return try EntryFile(file).entry(key)
        } catch let error as EntryCoding.Damage {
            damage = error
        } catch {
            damage = EntryCoding.Damage("\(error)")
        }
        throw .unreadable(key: key, reason: damage.reason)
    }

    private func put(_ entry: StoredEntry, _ key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try folder.write([try EntryCoding.head(of: entry, key: key), entry.bytes], to: path(of: key))
    }

    private func remove(_ key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        if try POSIX.remove(path(of: key)) { try folder.flush() }
    }
}
