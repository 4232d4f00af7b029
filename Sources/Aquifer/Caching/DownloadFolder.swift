import Foundation

/// Where downloads lie. All of it blocks: only for queues of our own.
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

    init(path: String, patience: Duration) throws(StoreError) {
        folder = StoreFolder(path: path, purpose: .downloads)
        self.patience = patience
        try folder.open(patience: patience)
    }

    static func name(of url: String) -> String {
        [Checksum.xxh64(url), Checksum.xxh64(url, seed: 1)].map { half in
            let text = String(half, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    func path(_ name: String, _ suffix: Suffix) -> String { "\(folder.path)/\(name).\(suffix.rawValue)" }
    func dataPath(_ name: String, _ generation: UInt64) -> String { "\(folder.path)/\(name)-\(generation).data" }

    // MARK: Locks

    /// The lock of a download, unless someone else has it. It goes with the file.
    func tryLock(_ name: String) throws(StoreError) -> POSIX.File? {
        while true {
            let file = try POSIX.openToWrite(path(name, .lock), truncate: false)
            guard try POSIX.tryLock(file) else { return nil }
            // Removed between our opening and locking it: whoever comes next would lock another file of this name.
            if try POSIX.hasName(file) { return file }
        }
    }

    /// The lock, within the folder's patience.
    func lock(_ name: String) throws(StoreError) -> POSIX.File {
        var lock: POSIX.File?
        let isOurs = try Waiting.until(patience) { () throws(StoreError) in
            lock = try tryLock(name)
            return lock != nil
        }
        guard isOurs, let lock else { throw .busy(path: path(name, .lock)) }
        return lock
    }

    /// Leaves no lock behind where there is nothing to lock. The caller has the lock.
    func tidy(_ name: String) throws(StoreError) {
        let isNeeded = [Suffix.info, .part, .pin].contains { POSIX.exists(path(name, $0)) }
        if !isNeeded {
            for suffix in [Suffix.used, .lock] { _ = try POSIX.remove(path(name, suffix)) }
        }
    }

    // MARK: Records

    /// The record of the whole download, or of the growing one; `nil` if there is none.
    func record(_ name: String, _ suffix: Suffix) throws(StoreError) -> DownloadRecord? {
        guard let bytes = try contents(path(name, suffix)) else { return nil }
        do throws(BinaryReader.Failure) {
            return try DownloadRecord.decoded(bytes, isWhole: suffix == .info)
        } catch {
            throw .unreadable(key: name, reason: error.description)
        }
    }

    /// Puts a file in place in one step, flushed.
    func put(_ bytes: Data, at path: String) throws(StoreError) {
        try folder.exclusively(patience) { () throws(StoreError) in try folder.write([bytes], to: path) }
    }

    func contents(_ path: String) throws(StoreError) -> Data? {
        guard let file = try POSIX.openToRead(path) else { return nil }
        guard let size = try POSIX.size(file) else { throw .notAStore(path: path) }
        var bytes = Data(count: size)
        let count = try bytes.withUnsafeMutableBytes { raw in
            Result { () throws(StoreError) in try POSIX.read(file, into: raw, at: 0) }
        }.get()
        return bytes.prefix(count)
    }

    /// The whole download of a URL, opened; `nil` if there is none.
    func whole(_ url: URL) throws(StoreError) -> DownloadedFile? {
        let key = url.absoluteString
        let name = Self.name(of: key)
        // Someone may replace it between the two looks: the second time finds the new one.
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
                // Damage is told whether or not it can be removed now: whoever has the lock is about to replace it.
                try? self.discard(name, generation: record.generation)
            }
        }
        throw .unreadable(key: key, reason: "its bytes are missing")
    }

    /// Removes a whole download that turned out to be damaged, unless it has been replaced meanwhile.
    private func discard(_ name: String, generation: UInt64) throws(StoreError) {
        guard let lock = try tryLock(name) else { return }
        defer { withExtendedLifetime(lock) {} }
        guard try record(name, .info)?.generation == generation else { return }
        try remove(name, pin: false)
    }

    // MARK: Removing. The caller has the lock.

    /// Removes what an unfinished download left.
    func removePart(_ name: String) throws(StoreError) {
        _ = try POSIX.remove(path(name, .part))
        try removeData(name, but: try? record(name, .info)?.generation)  // unreadable: then no bytes are its own
    }

    /// Removes all of a download; the pin stays if told so.
    func remove(_ name: String, pin: Bool) throws(StoreError) {
        // The record first: what is killed after this has left bytes that no one takes for anything.
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

    /// Removes data files of this download.
    func removeData(_ name: String, but generation: UInt64?) throws(StoreError) {
        let kept = generation.map { "\(name)-\($0).data" }
        for file in try POSIX.names(in: folder.path)
        where file.hasPrefix(name + "-") && file.hasSuffix(".data") && file != kept {
            _ = try POSIX.remove(folder.path + "/" + file)
        }
    }

    // MARK: Use and pins

    func used(_ name: String) throws(StoreError) -> Date? {
        guard let bytes = try contents(path(name, .used)), bytes.count == 8 else { return nil }
        let bits = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    /// Notes when it was used. Not flushed: the worst that is lost is the order of eviction.
    func touch(_ name: String, _ date: Date) throws(StoreError) {
        let file = try POSIX.openToWrite(path(name, .used), truncate: false)
        let bits = [date.timeIntervalSinceReferenceDate.bitPattern.littleEndian]
        try bits.withUnsafeBytes { raw in
            Result { () throws(StoreError) in try POSIX.write(file, raw, at: 0) }
        }.get()
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

    /// What a growing download has on disk; for who waits for another process.
    func growth(_ name: String) -> (received: Int, total: Int?)? {
        // Only shown, and asked again soon: whatever cannot be read now is not shown now.
        guard let record = try? record(name, .part),
            let file = try? POSIX.openToRead(dataPath(name, record.generation)),  // as above
            let size = try? POSIX.size(file)  // as above
        else { return nil }
        return (size, record.total)
    }
}
