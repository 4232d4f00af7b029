import Aquifer
import AquiferConcurrency
import AquiferCrypto
import Foundation

/// The file of a server's users: their names, and the hashes of their tokens.
///
/// - It is replaced as a whole, under a lock: changes by several processes at once are all kept, and a reader sees the file
///   before or after each.
/// - Damage anywhere is an error, and never "no users".
/// - Nobody but its owner may read it (0600).
public struct UsersFile: UserRegister {
    /// The name of the file in the data folder, unless another one is named.
    public static let usualName = "serve.users"
    /// The most bytes of a file: some hundred thousand tokens.
    private static let mostBytes = 16 << 20
    private static let title = "aquifer users"
    private static let version = "1"
    /// The bytes that always hold the first line.
    private static let headBytes = 160

    /// The path of the file.
    public let path: String

    /// The users of a file.
    public init(_ path: String) {
        self.path = path
    }

    /// The users, in the order in which they were added.
    ///
    /// - Throws: ``UsersError/none(path:)`` if there is no file; otherwise the reason why it cannot be used.
    public func read() throws(UsersError) -> [UserRecord] { try contents().users }

    /// Adds a user with a first token, which is returned and kept nowhere.
    ///
    /// - Throws: ``UsersError/exists(_:)`` if there is one of this name.
    public func add(_ name: UserName, at date: Date) throws(UsersError) -> String {
        let token = UserToken.random()
        try change(mayCreate: true) { users throws(UsersError) in try users.add(name, token, at: date) }
        return token
    }

    /// Adds a token for another device of a user.
    ///
    /// - Throws: ``UsersError/unknown(_:)`` if there is no such user.
    public func addToken(_ name: UserName, at date: Date) throws(UsersError) -> String {
        let token = UserToken.random()
        try change { users throws(UsersError) in try users.addToken(name, token, at: date) }
        return token
    }

    /// Ends tokens of a user.
    ///
    /// - Parameter hash: The hash of the one token to end; `nil` for all of them.
    /// - Returns: the number of tokens that were ended.
    @discardableResult
    public func endTokens(of name: UserName, hash: String? = nil) throws(UsersError) -> Int {
        try change { users throws(UsersError) in try users.endTokens(of: name, hash: hash) }
    }

    /// Notes that a user is being removed, or is not any more. Nobody is let in meanwhile.
    public func setLeaving(_ name: UserName, _ isLeaving: Bool) throws(UsersError) {
        try change { users throws(UsersError) in
            try users.change(name) { user throws(UsersError) in user.isLeaving = isLeaving }
        }
    }

    /// Takes a user out of the file.
    public func remove(_ name: UserName) throws(UsersError) {
        try change { users throws(UsersError) in try users.remove(name) }
    }

    /// The users, if the file has changed since a version of it; `nil` if it has not.
    public func changed(since version: String?) throws(UsersError) -> UsersVersion? {
        let head = try head()
        if let head, head == version { return nil }
        let found = try contents()
        return UsersVersion(version: found.head, users: found.users)
    }

    /// Nobody tells of changes of the file.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? { nil }

    // MARK: The file

    /// The users, with the first line of the file, which is another one after each change.
    func contents() throws(UsersError) -> (head: String, users: [UserRecord]) {
        guard let bytes = try bytes(upTo: Self.mostBytes) else { throw .none(path: path) }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw damaged("it has no first line") }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        let words = head.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 5, words.prefix(2).joined(separator: " ") == Self.title else {
            throw damaged("it is no file of users")
        }
        let body = Data(bytes[bytes.index(after: end)...])
        guard words[4] == Self.checksum(words[2], words[3], body) else { throw damaged("its checksum is another one") }
        guard words[2] == Self.version else { throw .newerVersion(path: path) }
        do { return (head, try JSONDecoder().decode([UserRecord].self, from: body)) } catch {
            throw damaged("its checksum is right, and its contents are not")
        }
    }

    /// The first line; `nil` if there is no file.
    func head() throws(UsersError) -> String? {
        guard let bytes = try bytes(upTo: Self.headBytes) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private func bytes(upTo most: Int) throws(UsersError) -> Data? {
        do throws(StoreError) {
            if POSIX.isSpecial(path) { throw .notAStore(path: path) }
            guard let file = try POSIX.openToRead(path) else { return nil }
            guard POSIX.isPrivate(path) else { throw .notAStore(path: path) }
            return try POSIX.read(file, upTo: most)
        } catch {
            if case .notAStore = error { throw .open(path: path) }
            throw .store(error)
        }
    }

    private func change<Value>(
        mayCreate: Bool = false, _ edit: (inout [UserRecord]) throws(UsersError) -> Value
    ) throws(UsersError) -> Value {
        let lock = try locked()
        defer { POSIX.unlock(lock) }
        var (head, users): (String, [UserRecord]) = ("", [])
        do throws(UsersError) { (head, users) = try contents() } catch {
            guard case .none = error, mayCreate else { throw error }
        }
        let value = try edit(&users)
        let number = head.split(separator: " ").dropFirst(3).first.flatMap { UInt64($0) } ?? 0
        do throws(StoreError) { try write(users, number: number &+ 1) } catch { throw .store(error) }
        return value
    }

    private func write(_ users: [UserRecord], number: UInt64) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let body: Data
        do { body = try encoder.encode(users) } catch {
            throw .failed(operation: "write \(path)", reason: "\(type(of: error))")
        }
        let sum = Self.checksum(Self.version, "\(number)", body)
        let draft = try POSIX.openToWrite(path + ".new", truncate: true)
        try POSIX.makePrivate(path + ".new")
        try POSIX.write(draft, Data("\(Self.title) \(Self.version) \(number) \(sum)\n".utf8) + body)
        try POSIX.flush(draft)
        try POSIX.replace(path, with: path + ".new")
    }

    private func locked() throws(UsersError) -> POSIX.File {
        do throws(StoreError) {
            try POSIX.makeFolder(FilePath.folder(of: path))
            let lock = try POSIX.openToWrite(path + ".lock", truncate: false)
            for _ in 0..<10_000 {
                if try POSIX.tryLock(lock) { return lock }
                SystemThread.pause(microseconds: 1000)
            }
            throw .busy(path: path)
        } catch { throw .store(error) }
    }

    private func damaged(_ reason: String) -> UsersError { .damaged(path: path, reason: reason) }

    private static func checksum(_ version: String, _ number: String, _ body: Data) -> String {
        var hash = SHA256Hash()
        hash.update(Data("\(title) \(version) \(number)\n".utf8))
        hash.update(body)
        return hash.finish().hexadecimal
    }
}
