import Foundation

/// The folder of a ``FileStore`` or of ``Downloads``: tells one from anything else, and keeps writers apart.
struct StoreFolder: Sendable {
    /// What a folder is for, as its marker says.
    struct Purpose: Sendable {
        /// The name of the marker.
        var name: String
        /// What the marker says before the version.
        var title: String

        static let entries = Purpose(name: "aquifer-store", title: "Aquifer file store, version ")
        static let downloads = Purpose(name: "aquifer-downloads", title: "Aquifer downloads, version ")
    }

    static let version = 1

    let path: String
    var purpose = Purpose.entries
    private var title: String { purpose.title }
    var marker: String { path + "/" + purpose.name }
    var lock: String { marker + ".lock" }
    /// One name is enough: only the holder of the lock writes it, so that what lies there belongs to the dead.
    var incoming: String { marker + ".incoming" }

    init(path: String, purpose: Purpose = .entries) {
        self.path = path
        self.purpose = purpose
    }

    /// Opens the folder, or makes it a store if it is missing or empty.
    func open(patience: Duration) throws(StoreError) {
        try POSIX.makeFolder(path)
        if try isMarked() {
            try removeLeftover()
            return
        }
        let ours = Set([lock, incoming].map { ($0 as NSString).lastPathComponent })
        guard let names = try? POSIX.names(in: path) else {  // not a folder, or not ours to look into
            throw .notAStore(path: path)
        }
        guard ours.isSuperset(of: names) else { throw .notAStore(path: path) }
        try exclusively(patience) { () throws(StoreError) in
            if try isMarked() { return }  // another process was faster
            try write([Data("\(title)\(Self.version)\n".utf8)], to: marker)
        }
    }

    /// Runs `body` while no one else, in this process or another, writes to the folder.
    func exclusively<Value>(
        _ patience: Duration, _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let file = try POSIX.openToWrite(lock, truncate: false)
        // Not a waiting lock: a process that was stopped while holding it would hold us for ever.
        let isOurs = try Waiting.until(patience) { () throws(StoreError) in try POSIX.tryLock(file) }
        guard isOurs else { throw .busy(path: path) }
        defer { POSIX.unlock(file) }
        return try body()
    }

    /// Writes a file beside its place, flushes it, and puts it there in one step. Only within `exclusively`.
    func write(_ parts: [Data], to target: String) throws(StoreError) {
        do throws(StoreError) {
            let file = try POSIX.openToWrite(incoming, truncate: true)
            for part in parts {
                try part.withUnsafeBytes { bytes in
                    Result { () throws(StoreError) in try POSIX.write(file, bytes) }
                }.get()
            }
            try POSIX.flush(file)
            try POSIX.replace(target, with: incoming)
        } catch {
            _ = try? POSIX.remove(incoming)  // the first error is the one to tell; the next writer empties it anyway
            throw error
        }
        try flush()
    }

    /// Makes a replacement or removal last.
    func flush() throws(StoreError) {
        guard let folder = try POSIX.openToRead(path) else {
            throw .failed(operation: "flush \(path)", reason: "the folder is gone")
        }
        try POSIX.flush(folder)
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

    private func isMarked() throws(StoreError) -> Bool {
        let file: POSIX.File?
        do throws(StoreError) {
            file = try POSIX.openToRead(marker)
        } catch {
            throw .notAStore(path: path)
        }
        guard let file else { return false }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = try buffer.withUnsafeMutableBytes { raw in
            Result { () throws(StoreError) in try POSIX.read(file, into: raw, at: 0) }
        }.get()
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        guard text.hasPrefix(title), text.hasSuffix("\n"),
            let found = Int(text.dropFirst(title.count).dropLast())
        else { throw .notAStore(path: path) }
        guard found <= Self.version else {
            throw .newerVersion(path: path, found: found, supported: Self.version)
        }
        return true
    }
}
