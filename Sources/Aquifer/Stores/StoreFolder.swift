import AquiferFoundation

/// The folder of a ``FileStore`` or of ``Downloads``. A marker file identifies it, and a lock admits one writer at a
/// time.
struct StoreFolder: Sendable {
    /// The purpose of a folder, which its marker names.
    struct Purpose: Sendable {
        /// The name of the marker.
        var name: String
        /// The text of the marker before the version.
        var title: String

        static let entries = Purpose(name: "aquifer-store", title: "Aquifer file store, version ")
        static let downloads = Purpose(name: "aquifer-downloads", title: "Aquifer downloads, version ")
    }

    /// Version 1 was written before the first release.
    static let version = 2

    let path: String
    var purpose = Purpose.entries
    private var title: String { purpose.title }
    var marker: String { path + "/" + purpose.name }
    var lock: String { marker + ".lock" }
    /// One name is enough: only the holder of the lock writes this file, so that an existing one is a leftover of a
    /// killed process.
    var incoming: String { marker + ".incoming" }

    init(path: String, purpose: Purpose = .entries) {
        self.path = path
        self.purpose = purpose
    }

    /// Opens the folder, or creates a store in it if it is missing or empty.
    func open(patience: Duration) throws(StoreError) {
        try POSIX.makeFolder(path)
        switch try mark() {
        case .whole: return try removeLeftover()
        case .begun: break
        case .none: try expectEmpty()
        }
        try exclusively(patience) { () throws(StoreError) in
            if try mark() == .whole { return }  // another process was faster
            try POSIX.flushFolders(of: path)
            // Whoever sees the text of the marker saves files. If a loss of power took only the marker away, they could
            // not be opened any more. Therefore the marker's name reaches the device before its text can be seen.
            try POSIX.makeEmpty(marker)
            try flush()
            try write([Data("\(title)\(Self.version)\n".utf8)], to: marker)
        }
    }

    /// Refuses a folder that holds anything else.
    private func expectEmpty() throws(StoreError) {
        let names: [String]
        do throws(StoreError) { names = try POSIX.names(in: path) } catch { throw reason(for: error) }
        // Another process may be making the store now.
        if names.contains(FilePath.name(of: marker)) { return }
        let ours = Set([lock, incoming].map { FilePath.name(of: $0) })
        guard ours.isSuperset(of: names) else { throw .notAStore(path: path) }
    }

    /// Runs `body` while no other caller, in this process or another, writes to the folder.
    func exclusively<Value>(
        _ patience: Duration, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let file = try POSIX.openToWrite(lock, truncate: false)
        // The lock is tried with a limit of time: a process that was stopped while it holds the lock would block this
        // one for ever.
        let isOurs = try Waiting.until(patience) { () throws(StoreError) in try POSIX.tryLock(file) }
        guard isOurs else { throw .busy(path: path) }
        defer { POSIX.unlock(file) }
        return try body()
    }

    /// Writes a temporary file, flushes it, and puts it in place in one step. Call it only within `exclusively`.
    ///
    /// - Parameter isFlushed: true if the file must survive a loss of power, and not only a kill of the process.
    func write(_ parts: [Data], to target: String, isFlushed: Bool = true) throws(StoreError) {
        // It is opened before anything is changed: without a descriptor, nothing must have happened.
        let folder = isFlushed ? try opened() : nil
        do throws(StoreError) {
            let file = try POSIX.openToWrite(incoming, truncate: true)
            for part in parts {
                try POSIX.write(file, part)
            }
            if isFlushed { try POSIX.flush(file) }
            try POSIX.replace(target, with: incoming)
        } catch {
            _ = try? POSIX.remove(incoming)  // the first error is the one to tell; the next writer empties it anyway
            throw error
        }
        if let folder { try POSIX.flush(folder) }
    }

    /// Deletes a file, so that the deletion survives a loss of power. Does nothing if there is none.
    func remove(_ target: String) throws(StoreError) {
        if let failure = remove([target]).failure { throw failure }
    }

    /// Deletes files, and flushes the folder once.
    ///
    /// - Returns: the files that are gone by this call, also if it failed later.
    func remove(_ targets: [String]) -> (removed: [String], failure: StoreError?) {
        var removed: [String] = []
        do throws(StoreError) {
            let folder = try opened()
            for target in targets where try POSIX.remove(target) { removed.append(target) }
            if !removed.isEmpty { try POSIX.flush(folder) }
            return (removed, nil)
        } catch {
            return (removed, error)
        }
    }

    /// Flushes the folder, so that a replacement or deletion survives a loss of power.
    func flush() throws(StoreError) {
        try POSIX.flush(try opened())
    }

    private func opened() throws(StoreError) -> POSIX.File {
        guard let folder = try POSIX.openToRead(path) else {
            throw .failed(operation: "flush \(path)", reason: "the folder is gone")
        }
        return folder
    }

    /// The reason why a folder cannot be looked into: it is none, or the system failed.
    private func reason(for error: StoreError) -> StoreError {
        guard let kind = POSIX.status(path)?.kind, kind != .folder else { return error }
        return .notAStore(path: path)
    }

    private func removeLeftover() throws(StoreError) {
        guard try POSIX.openToRead(incoming) != nil else { return }
        do throws(StoreError) {
            try exclusively(.zero) { () throws(StoreError) in _ = try POSIX.remove(incoming) }
        } catch {
            switch error {
            case .busy, .readOnly: return  // someone is writing it now, or it cannot be removed: not ours to mend
            default: throw error
            }
        }
    }

    /// The stages of a folder that becomes a store.
    private enum Mark {
        /// It has no marker.
        case none
        /// The marker is empty: whoever made it was killed, or failed, before the store could be used.
        case begun
        case whole
    }

    private func mark() throws(StoreError) -> Mark {
        let file: POSIX.File?
        do throws(StoreError) {
            file = try POSIX.openToRead(marker)
        } catch {
            throw reason(for: error)
        }
        guard let file else { return .none }
        let text = String(decoding: try POSIX.read(file, upTo: 64), as: UTF8.self)
        if text.isEmpty { return .begun }
        guard text.hasPrefix(title), text.hasSuffix("\n"),
            let found = Int(text.dropFirst(title.count).dropLast()), found > 0
        else { throw .notAStore(path: path) }
        guard found == Self.version else {
            throw .otherVersion(path: path, found: found, supported: Self.version)
        }
        return .whole
    }
}
