import AquiferFoundation

/// The folder of downloads. All calls block: call them only on the library's own queues.
///
/// | file | what |
/// |------|------|
/// | `NAME-N.data` | the bytes of generation N, whole or growing |
/// | `NAME.info` | the record of the whole one: replacing it is what makes a download whole |
/// | `NAME.part` | the journal of the one that grows |
/// | `NAME.pin` | there while it is pinned; holds the URL |
/// | `NAME.used` | when it was last used |
/// | `NAME.lock` | locked by whoever changes any of these |
///
/// NAME is 128 bits of hash of the URL.
struct DownloadFolder: Sendable {
    enum Suffix: String, CaseIterable {
        case info, part, pin, used, lock
    }

    private let folder: StoreFolder
    private let patience: Duration

    init(path: String, patience: Duration, files: FilePolicy = .systemDefault) throws(StoreError) {
        folder = StoreFolder(path: path, purpose: .downloads)
        self.patience = patience
        try folder.open(patience: patience)
        try files.apply(to: [folder.path])
    }

    static func name(of url: String) -> String { FileName.hash(url) }

    func path(_ name: String, _ suffix: Suffix) -> String { "\(folder.path)/\(name).\(suffix.rawValue)" }
    func dataPath(_ name: String, _ generation: UInt64) -> String { "\(folder.path)/\(name)-\(generation).data" }

    // MARK: Locks

    /// The lock of a download; `nil` if another caller holds it. Releasing the file releases the lock.
    func tryLock(_ name: String) throws(StoreError) -> POSIX.File? {
        while true {
            let file = try POSIX.openToWrite(path(name, .lock), truncate: false)
            guard try POSIX.tryLock(file) else { return nil }
            // A file that was deleted between opening and locking does not count: the next caller would lock a new file
            // of this name.
            if try POSIX.hasName(file) { return file }
        }
    }

    /// Waits for the lock, for at most the folder's patience.
    func lock(_ name: String) throws(StoreError) -> POSIX.File {
        var lock: POSIX.File?
        let isOurs = try Waiting.until(patience) { () throws(StoreError) in
            lock = try tryLock(name)
            return lock != nil
        }
        guard isOurs, let lock else { throw .busy(path: path(name, .lock)) }
        return lock
    }

    /// Deletes the lock file and the date of use if there is no file, partial file or pin. The caller holds the lock.
    func tidy(_ name: String) throws(StoreError) {
        let isNeeded = [Suffix.info, .part, .pin].contains { POSIX.exists(path(name, $0)) }
        if !isNeeded {
            for suffix in [Suffix.used, .lock] { _ = try POSIX.remove(path(name, suffix)) }
        }
    }

    // MARK: Records

    /// The record of the complete download, or of the growing one; `nil` if there is none.
    func record(_ name: String, _ suffix: Suffix) throws(StoreError) -> DownloadRecord? {
        guard let bytes = try contents(path(name, suffix), upTo: Self.mostBytes + 1) else { return nil }
        guard bytes.count <= Self.mostBytes else {
            throw .unreadable(key: name, reason: "it is too large for a record")
        }
        do throws(BinaryReader.Failure) {
            return try DownloadRecord.decoded(bytes, isWhole: suffix == .info)
        } catch {
            throw .unreadable(key: name, reason: error.description)
        }
    }

    /// The record; `nil` if there is none, or if it is damaged and thus confirms no bytes.
    ///
    /// - Throws: a failure of the system, which is no damage of the record.
    func readable(_ name: String, _ suffix: Suffix) throws(StoreError) -> DownloadRecord? {
        do throws(StoreError) { return try record(name, suffix) } catch {
            guard case .unreadable = error else { throw error }
            return nil
        }
    }

    /// Puts a file in place in one step.
    func put(_ bytes: Data, at path: String, isFlushed: Bool) throws(StoreError) {
        try folder.exclusively(patience) { () throws(StoreError) in
            try folder.write([bytes], to: path, isFlushed: isFlushed)
        }
    }

    /// Flushes a complete download and its folder, so that both survive a loss of power. The one before it is deleted only then.
    func flush(_ file: DownloadedFile) throws(StoreError) {
        let name = Self.name(of: file.record.url)
        try POSIX.flush(file.data)
        if let record = try POSIX.openToRead(path(name, .info)) { try POSIX.flush(record) }
        try folder.flush()
        // Nobody waits for the lock in vain, and whoever holds it, or transfers it later, deletes what is left.
        guard try !oldData(name, but: file.record.generation).isEmpty, let lock = try tryLock(name),
            !POSIX.exists(path(name, .part))
        else { return }
        defer { withExtendedLifetime(lock) {} }
        if let whole = try record(name, .info)?.generation { try removeData(name, but: whole) }
    }

    /// The largest size of a record in bytes: that of a download of 2 TiB. A larger one is damaged.
    static let mostBytes = 64 << 20

    /// The first bytes of a file; `nil` if there is no file.
    func contents(_ path: String, upTo most: Int) throws(StoreError) -> Data? {
        guard let file = try POSIX.openToRead(path) else { return nil }
        guard let size = try POSIX.size(file) else { throw .notAStore(path: path) }
        return try POSIX.read(file, upTo: min(size, most))
    }

    /// Opens the complete download of a URL; `nil` if there is none.
    func whole(_ url: URL) throws(StoreError) -> DownloadedFile? {
        let key = url.absoluteString
        let name = Self.name(of: key)
        // Another caller may replace the download between the two reads; the next attempt finds the new one.
        for _ in 0..<3 {
            guard let record = try record(name, .info) else { return nil }
            guard record.url == key, let total = record.total else {
                throw .unreadable(key: key, reason: "it is another URL's")
            }
            let path = dataPath(name, record.generation)
            guard let data = try POSIX.openToRead(path) else { continue }
            guard try POSIX.size(data) == total else {
                throw .unreadable(key: key, reason: "shorter or longer than its record says")
            }
            return DownloadedFile(url: url, path: path, data: data, record: record, length: total) {
                // The damage is reported even if the file cannot be deleted now: the holder of the lock is about to
                // replace it.
                try? self.discard(name, generation: record.generation)
            }
        }
        throw .unreadable(key: key, reason: "its bytes are missing")
    }

    /// Deletes a complete download that is damaged, unless it has been replaced meanwhile.
    private func discard(_ name: String, generation: UInt64) throws(StoreError) {
        guard let lock = try tryLock(name) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard try record(name, .info)?.generation == generation else { return }
        try remove(name, pin: false)
    }

    // MARK: Deleting. The caller holds the lock.

    /// Deletes the files of an unfinished download.
    ///
    /// - Parameter andOld: false to keep what an earlier complete one may have left: a loss of power may bring its record back.
    func removePart(_ name: String, andOld: Bool = true) throws(StoreError) {
        // The record is read first: if the system cannot read it now, the bytes that it confirms must stay.
        let whole = try readable(name, .info)?.generation
        _ = try POSIX.remove(path(name, .part))
        if andOld { try removeData(name, but: whole) }
    }

    /// Deletes a download, and its pin if `pin` is true.
    func remove(_ name: String, pin: Bool) throws(StoreError) {
        // The record is deleted first: after a kill, the data files without a record are ignored.
        for suffix in [Suffix.info, .part] + (pin ? [.pin] : []) { _ = try POSIX.remove(path(name, suffix)) }
        try removeData(name, but: nil)
        try tidy(name)
    }

    /// A number that no data file of this download has.
    func freshGeneration(_ name: String) throws(StoreError) -> UInt64 {
        let numbers = try POSIX.names(in: folder.path).filter { $0.hasPrefix(name + "-") }
            .compactMap { UInt64($0.dropFirst(name.count + 1).prefix { $0 != "." }) }
        return (numbers.max() ?? 0) + 1
    }

    /// Deletes the data files of this download, except for one generation.
    func removeData(_ name: String, but generation: UInt64?) throws(StoreError) {
        for file in try oldData(name, but: generation) { _ = try POSIX.remove(folder.path + "/" + file) }
    }

    private func oldData(_ name: String, but generation: UInt64?) throws(StoreError) -> [String] {
        let kept = generation.map { "\(name)-\($0).data" }
        return try POSIX.names(in: folder.path).filter {
            $0.hasPrefix(name + "-") && $0.hasSuffix(".data") && $0 != kept
        }
    }

    // MARK: Use and pins

    func used(_ name: String) throws(StoreError) -> Date? {
        guard let bytes = try contents(path(name, .used), upTo: 9), bytes.count == 8 else { return nil }
        let bits = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    /// Records the date of use. The date is not flushed: its loss affects only the order of eviction.
    func touch(_ name: String, _ date: Date) throws(StoreError) {
        let file = try POSIX.openToWrite(path(name, .used), truncate: false)
        let bits = [date.timeIntervalSinceReferenceDate.bitPattern.littleEndian]
        try bits.withUnsafeBytes { Data($0) }.withBytes { raw throws(StoreError) in try POSIX.write(file, raw, at: 0) }
    }

    func isPinned(_ name: String) -> Bool { POSIX.exists(path(name, .pin)) }

    /// The names of all downloads.
    func names() throws(StoreError) -> Set<String> {
        Set(
            try POSIX.names(in: folder.path).compactMap { file in
                let parts = file.split(separator: ".")
                guard parts.count == 2, let suffix = Suffix(rawValue: String(parts[1])), suffix != .lock else {
                    return nil
                }
                return parts[0].count == 32 ? String(parts[0]) : nil
            })
    }

    /// The progress of a growing download on disk, for callers that wait for another process.
    func growth(_ name: String) -> (received: Int, total: Int?)? {
        // The progress is only displayed, and read again soon: an unreadable one is left out.
        guard let record = try? record(name, .part),
            let file = try? POSIX.openToRead(dataPath(name, record.generation)),  // as above
            let size = try? POSIX.size(file)  // as above
        else { return nil }
        return (size, record.total)
    }
}
