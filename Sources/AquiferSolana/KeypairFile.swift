import Aquifer
import AquiferCrypto
import AquiferFoundation

extension Keypair {
    /// The maximum size of a key file in bytes. Solana's tools do not write larger files.
    private static let fileLimit = 4096

    /// Reads a key pair from a file: Solana's `id.json`, or base58.
    ///
    /// - Throws: ``KeypairError``; `.tooOpen` if the group or others have any permission on the file.
    public init(contentsOf file: URL) throws(KeypairError) {
        let path = file.path(percentEncoded: false)
        do throws(KeypairError) {
            var text = try Self.read(path)
            defer { wipe(&text) }
            try self.init(text: text)
        } catch {
            // A user who has named no file does not know which one it is.
            guard case .notAKey(let reason) = error else { throw error }
            throw .notAKey(reason: "\(reason) (\(path))")
        }
    }

    /// Writes the key pair to a new file that only this user can read, in the form of Solana's tools. The key is on the
    /// device when the method returns. The bytes go to a temporary file, which gets its final name last. The file is
    /// therefore complete, or it does not exist.
    ///
    /// - Parameters:
    ///   - file: the new file. Its folder must exist.
    ///   - makeID: makes the name of the temporary file.
    /// - Throws: ``KeypairError/exists(path:)`` or ``KeypairError/empty(path:)`` if the file exists, because an
    ///   existing file is never replaced; ``KeypairError/failed(reason:)`` if it cannot be written.
    public func write(to file: URL, makeID: () -> UUID = { UUID() }) throws(KeypairError) {
        let path = file.path(percentEncoded: false)
        try Self.checkAbsence(path)
        let new = "\(path).\(makeID().uuidString).new"
        do throws(StoreError) { try POSIX.makeNew(new) } catch { throw .failed(reason: "\(error)") }
        // The temporary name is removed in any case. An error of the removal does not hide the first error.
        defer { _ = try? POSIX.remove(new) }
        do throws(StoreError) {
            let file = try POSIX.openToWrite(new, truncate: true)
            try withSecretKey { (bytes) throws(StoreError) in
                var text = Self.text(bytes)
                defer { wipe(&text) }
                try POSIX.write(file, text)
            }
            try POSIX.flush(file)
        } catch { throw .failed(reason: "\(error)") }
        try Self.name(new, path)
    }

    /// Gives a file its final name, unless another file has it.
    private static func name(_ new: String, _ path: String) throws(KeypairError) {
        switch POSIX.link(new, as: path) {
        case .done: return
        case .taken:
            try checkAbsence(path)
            throw .exists(path: path)
        case .refused: break
        }
        // A file system without hard links needs two steps. A file that takes the name between them is replaced.
        try checkAbsence(path)
        do throws(StoreError) { try POSIX.replace(path, with: new) } catch { throw .failed(reason: "\(error)") }
    }

    private static func checkAbsence(_ path: String) throws(KeypairError) {
        guard let status = POSIX.status(path, followsLink: false) else { return }
        throw status.kind == .file && status.size == 0 ? .empty(path: path) : .exists(path: path)
    }

    /// Writes the bytes as `[1,2,3]`, without a copy that stays in memory.
    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 + 2)
        text.append(UInt8(ascii: "["))
        for (place, byte) in bytes.enumerated() {
            if place > 0 { text.append(UInt8(ascii: ",")) }
            if byte >= 100 { text.append(UInt8(ascii: "0") + byte / 100) }
            if byte >= 10 { text.append(UInt8(ascii: "0") + byte / 10 % 10) }
            text.append(UInt8(ascii: "0") + byte % 10)
        }
        text.append(UInt8(ascii: "]"))
        return text
    }

    private static func read(_ path: String) throws(KeypairError) -> Data {
        guard let file = try reading({ () throws(StoreError) in try POSIX.openToRead(path) }) else {
            throw .missing(path: path)
        }
        guard let size = try reading({ () throws(StoreError) in try POSIX.size(file) }) else {
            throw .notAKey(reason: "it is not a file")
        }
        try checkPrivacy(path)
        guard size > 0 else { throw .empty(path: path) }
        guard size <= fileLimit else { throw .notAKey(reason: "it is too large for one") }
        var bytes = Data(count: size)
        let count = try reading { () throws(StoreError) in
            try bytes.withUnsafeMutableBytes { raw in
                Result { () throws(StoreError) in try POSIX.read(file, into: raw, at: 0) }
            }.get()
        }
        return bytes.prefix(count)
    }

    private static func reading<Value>(_ work: () throws(StoreError) -> Value) throws(KeypairError) -> Value {
        do throws(StoreError) { return try work() } catch { throw .failed(reason: "\(error)") }
    }

    /// Refuses a file on which the group or others have any permission, because it holds a secret.
    ///
    /// - Throws: ``KeypairError/tooOpen(path:fix:)``.
    public static func checkPrivacy(_ path: String) throws(KeypairError) {
        guard let status = POSIX.status(path), status.isOpenToOthers else { return }
        throw .tooOpen(path: path, fix: "chmod 600 \(path.quotedForShell)")
    }
}
