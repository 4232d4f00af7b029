import Aquifer
import AquiferCrypto
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Keypair {
    /// No key file is larger: more than this was not written by Solana's tools.
    private static let fileLimit = 4096

    /// The key of a file: Solana's `id.json`, or base58.
    ///
    /// - Throws: ``KeypairError``: `.tooOpen` if the group or others may do anything with it.
    public init(contentsOf file: URL) throws(KeypairError) {
        let path = file.path(percentEncoded: false)
        var text = try Self.read(path)
        defer { wipe(&text) }
        try self.init(text: text)
    }

    /// Writes the key to a new file that only this user may read, in the form of Solana's tools. When it returns, the
    /// key is on the device.
    ///
    /// - Throws: ``KeypairError/exists(path:)``: a key that is there is never replaced.
    public func write(to file: URL) throws(KeypairError) {
        let path = file.path(percentEncoded: false)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { throw .exists(path: path) }
            throw .failed(reason: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        _ = close(descriptor)
        do throws(StoreError) {
            let file = try POSIX.openToWrite(path, truncate: true)
            try withSecretKey { (bytes) throws(StoreError) in
                var text = Self.text(bytes)
                defer { wipe(&text) }
                try text.withUnsafeBytes { raw in
                    Result { () throws(StoreError) in try POSIX.write(file, raw) }
                }.get()
            }
            try POSIX.flush(file)
        } catch {
            // What was begun holds no key, or half of one: the first error is the one to tell.
            _ = try? POSIX.remove(path)
            throw .failed(reason: "\(error)")
        }
    }

    /// `[1,2,3]` without a copy that stays in memory.
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

    /// Refuses a file that others may read or change.
    private static func checkPrivacy(_ path: String) throws(KeypairError) {
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & 0o077 != 0 else { return }
        let quoted = path.replacingOccurrences(of: "'", with: #"'\''"#)
        throw .tooOpen(path: path, fix: "chmod 600 '\(quoted)'")
    }
}
