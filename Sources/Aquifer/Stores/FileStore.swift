import AquiferFoundation

/// A store that keeps each entry in a file of its own, all of them in one folder that is the store's alone.
///
/// It fulfills the ``CacheStore`` contract with many processes on one folder. A write is also flushed to the device
/// before it is acknowledged, so that it survives a loss of power. The store needs no library. For many small entries
/// `SQLiteStore` writes about ten times as fast.
///
/// Reading takes no lock, because a file is always replaced as a whole. Writing takes an advisory lock on a file in the
/// folder. Only this user can enter the folder and read its files.
public final class FileStore: CacheStore {
    private let folder: StoreFolder
    private let patience: Duration
    private let queue = SerialQueue("aquifer.file-store")
    /// See ``CacheStore/changes``.
    public let changes: StoreChanges

    /// Opens the store in `directory`. Creates the folder, with its parent folders, if it is missing; an empty folder
    /// becomes a store.
    ///
    /// - Parameters:
    ///   - directory: the folder of a store, or an empty or missing one.
    ///   - patience: the time for which a write waits for another process before it throws ``StoreError/busy(path:)``.
    ///   - files: the treatment of the files by Apple's systems.
    ///   - clock: waits for another attempt to watch the folder, for an observer of ``changes``.
    /// - Throws: ``StoreError/notAStore(path:)`` if `directory` holds anything else,
    ///   ``StoreError/otherVersion(path:found:supported:)``, ``StoreError/readOnly(path:)`` if it is missing and cannot
    ///   be created. A read-only store can be opened and read; its writes throw.
    public init(
        directory: URL, patience: Duration = .seconds(5), files: FilePolicy = .systemDefault,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(StoreError) {
        let folder = StoreFolder(path: directory.standardizedFileURL.path)
        self.folder = folder
        changes = StoreChanges(whileObserved: { changes in Self.watch(folder.path, changes, clock) })
        self.patience = patience
        try folder.open(patience: patience)
        try files.apply(to: [folder.path])
    }

    /// See ``CacheStore/retrieve(_:)``.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try read(key)
    }

    /// See ``CacheStore/insert(_:for:)``.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await write { () throws(StoreError) in try self.put(entry, key) }
        changes.post(.entry(key))
    }

    /// See ``CacheStore/delete(_:)``.
    public func delete(_ key: String) async throws(StoreError) {
        try await write { () throws(StoreError) in try self.remove(key) }
        changes.post(.entry(key))
    }

    /// See ``CacheStore/update(_:_:)``.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let hasChanged = try await write { () throws(StoreError) in
            guard !key.isEmpty else { throw .invalidKey(key) }
            let found = Result { () throws(StoreError) in try self.read(key) }
            switch try decide(found) {
            case .keep: return false
            case .replace(let entry): try self.put(entry, key)
            case .delete: try self.remove(key)
            }
            return true
        }
        if hasChanged { changes.post(.entry(key)) }
    }

    /// See ``CacheStore/contents()``. Opens every file, and throws when the system cannot read one, because that is no
    /// damage. The place of a damaged entry is the path of its file.
    public func contents() async throws(StoreError) -> StoreContents { try list(prefix: "") }

    /// See ``CacheStore/contents(prefix:)``. Reads the names of all files, and opens those with the prefix, and those whose
    /// keys are too long for a name.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents { try list(prefix: prefix) }

    private func list(prefix: String) throws(StoreError) -> StoreContents {
        var contents = StoreContents()
        for name in try POSIX.names(in: folder.path) where FileName.mayBegin(name, with: prefix) {
            switch try look(name) {
            case .success(let summary?): contents.entries.append(summary)
            case .success(nil): continue  // deleted meanwhile
            case .failure(let damage):
                let place = folder.path + "/" + name
                contents.damaged.append(
                    DamagedEntry(key: FileName.key(of: name), place: place, reason: damage.reason))
            }
        }
        return contents.beginning(with: prefix)
    }

    /// See ``CacheStore/deleteAll(prefix:)``. No other writer changes the folder meanwhile. A kill in the middle leaves some of
    /// the entries.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let (removed, failure) = try await write { () throws(StoreError) in
            let folder = self.folder
            // Everything is looked at before the first file is deleted: a failure to look changes nothing.
            var paths: [String] = []
            for name in try POSIX.names(in: folder.path) where FileName.mayBegin(name, with: prefix) {
                if try self.begins(name, with: prefix) { paths.append(folder.path + "/" + name) }
            }
            return folder.remove(paths)
        }
        guard let failure else { return changes.post(.prefix(prefix)) }
        for path in removed {
            changes.post(FileName.key(of: FilePath.name(of: path)).map { .entry($0) } ?? .everything)
        }
        throw failure
    }

    /// True if the key of a file begins so, of which its name does not say otherwise. False if the key is unknown.
    private func begins(_ name: String, with prefix: String) throws(StoreError) -> Bool {
        if prefix.isEmpty || FileName.key(of: name) != nil { return true }
        guard case .success(let summary?) = try look(name) else { return false }
        return summary.key.hasBytes(prefix)
    }

    /// See ``CacheStore/remove(_:)``.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        let name = FilePath.name(of: damaged.place)
        guard name.hasSuffix(FileName.suffix), damaged.place == folder.path + "/" + name else { return }
        let hasChanged = try await write { () throws(StoreError) in
            guard case .failure = try self.look(name) else { return false }
            try self.folder.remove(self.folder.path + "/" + name)
            return true
        }
        if hasChanged { changes.post(FileName.key(of: name).map { .entry($0) } ?? .everything) }
    }

    /// The header of a file; `nil` if there is no such file.
    private func look(_ name: String) throws(StoreError) -> Result<StoredEntry.Summary?, EntryCoding.Damage> {
        guard let file = try POSIX.openToRead(folder.path + "/" + name) else { return .success(nil) }
        return try Self.undamaged { () throws in
            let summary = try EntryFile(file).head().summary
            guard FileName.of(summary.key) == name else { throw EntryCoding.Damage("it is another key's") }
            return summary
        }
    }

    /// The value that was read, or its damage.
    ///
    /// - Throws: a failure of the system, which is no damage of the file.
    private static func undamaged<Value>(
        _ read: () throws -> Value
    ) throws(StoreError) -> Result<Value, EntryCoding.Damage> {
        do { return .success(try read()) } catch let damage as EntryCoding.Damage {
            return .failure(damage)
        } catch let error as StoreError {
            throw error
        } catch {
            return .failure(EntryCoding.Damage("\(error)"))
        }
    }

    /// The folder.
    public var directory: URL { URL(fileURLWithPath: folder.path, isDirectory: true) }

    /// The path of the file of `key`.
    package func path(of key: String) -> String { folder.path + "/" + FileName.of(key) }

    private func write<Value: Sendable>(
        _ body: @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await queue.run { () throws(StoreError) in try self.folder.exclusively(self.patience, body) }
    }

    private func read(_ key: String) throws(StoreError) -> StoredEntry? {
        guard !key.isEmpty else { throw .invalidKey(key) }
        guard let file = try POSIX.openToRead(path(of: key)) else { return nil }
        switch try Self.undamaged({ try EntryFile(file).entry(key) }) {
        case .success(let entry): return entry
        case .failure(let damage): throw damage.error(key)
        }
    }

    private func put(_ entry: StoredEntry, _ key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try folder.write([try EntryCoding.head(of: entry, key: key), entry.bytes], to: path(of: key))
    }

    private func remove(_ key: String) throws(StoreError) {
        guard !key.isEmpty else { throw .invalidKey(key) }
        try folder.remove(path(of: key))
    }
}
