import Aquifer
import AquiferConcurrency
import Foundation

/// The secret that gives access to the API. It is stored with the data, so that an open page has access after a
/// restart.
enum AccessToken {
    /// The file in the data folder: the token and a line end, for this user only.
    static let file = "serve.token"

    /// The token of a data folder. If there is none, this creates and stores a new one.
    ///
    /// A file that others can read, that is damaged, or that another user owns is replaced, because its token may be
    /// known. (A flipped bit that makes another digit makes another token, which is as secret as the first. Either way,
    /// open pages have to be opened again.) If the token cannot be stored, it is valid for this run only.
    static func kept(in folder: URL) -> String {
        let path = folder.appending(path: file).path(percentEncoded: false)
        do throws(StoreError) {
            try POSIX.makeFolder(folder.path(percentEncoded: false))
            // Two servers that start at once must agree: the first to hold the lock decides.
            let lock = try POSIX.openToWrite(path + ".lock", truncate: false)
            var hasLock = try POSIX.tryLock(lock)
            for _ in 0..<1000 where !hasLock {
                SystemThread.pause(microseconds: 1000)
                hasLock = try POSIX.tryLock(lock)
            }
            defer { POSIX.unlock(lock) }
            guard hasLock else { throw .busy(path: path) }
            if let token = try read(path) { return token }
            let token = random()
            try OwnedFile.replace(path, with: Data("\(token)\n".utf8))
            return token
        } catch {
            return random()
        }
    }

    /// The token of a data folder; `nil` if there is none.
    static func saved(in folder: URL) throws(StoreError) -> String? {
        try read(folder.appending(path: file).path(percentEncoded: false))
    }

    /// The token in a store that replicas share; `nil` if there is none.
    static func saved(in store: any CacheStore) async throws(StoreError) -> String? {
        try await store.retrieve("token").flatMap { token(in: $0.bytes) }
    }

    /// The token in a store that replicas share. The first one to ask decides; a damaged token is replaced.
    ///
    /// - Throws: ``StoreError`` if the store fails. The replicas would not agree on a token then.
    static func kept(in store: any CacheStore) async throws(StoreError) -> String {
        let draft = random()
        return try await store.decide("token") { found throws(StoreError) -> (EntryChange, String) in
            do throws(StoreError) {
                if let token = try found.get().flatMap({ Self.token(in: $0.bytes) }) { return (.keep, token) }
            } catch { guard case .unreadable = error else { throw error } }
            return (.replace(StoredEntry(bytes: Data("\(draft)\n".utf8), savedAt: Date())), draft)
        }
    }

    /// 128 random bits, as hexadecimal digits.
    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        return high.hexadecimal + low.hexadecimal
    }

    private static func read(_ path: String) throws(StoreError) -> String? {
        guard OwnedFile.isPrivate(path), let file = try POSIX.openToRead(path) else { return nil }
        return token(in: try POSIX.read(file, upTo: 64))
    }

    private static func token(in bytes: Data) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasSuffix("\n") else { return nil }
        let token = text.dropLast()
        return token.count == 32 && token.allSatisfy { $0.isASCII && $0.isHexDigit } ? String(token) : nil
    }
}
