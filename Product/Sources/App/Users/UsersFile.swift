import Aquifer
import AquiferConcurrency
import Foundation

/// The file of a server's users: their names, and the hashes of their tokens.
///
/// - It is replaced as a whole, under a lock: changes by several processes at once are all kept, and a reader sees the file
///   before or after each.
/// - Damage anywhere is an error, and never "no users". So is an older copy that was put back, because tokens that have ended would
///   be valid again.
/// - Nobody but its owner may read it (0600). Root may change it, and leaves it to its owner.
/// - It names the place of the users' data, which a server has written into it.
public struct UsersFile: UserRegister {
    /// The name of the file in the data folder, unless another one is named.
    public static let usualName = "serve.users"
    /// The most bytes of a file: some hundred thousand tokens.
    private static let mostBytes = 16 << 20

    /// The path of the file.
    public let path: String
    /// The place of the data of the server that uses the file; `nil` for a command.
    private var home: UsersPlace?

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
    /// - Parameters:
    ///   - user: The user.
    ///   - hash: The hash of the one token to end; `nil` for all of them.
    /// - Returns: the number of tokens that were ended.
    @discardableResult
    public func endTokens(of user: UserID, hash: String? = nil) throws(UsersError) -> Int {
        try change { users in users.endTokens(of: user, hash: hash) }
    }

    /// Notes that a user is being removed, or is not any more. Nobody is let in meanwhile.
    public func setLeaving(_ user: UserID, _ isLeaving: Bool) throws(UsersError) {
        try change { users in users.setLeaving(user, isLeaving) }
    }

    /// Takes a user out of the file.
    public func remove(_ user: UserID) throws(UsersError) { try change { users in users.remove(user) } }

    /// The users, if the file has changed since a version of it; `nil` if it has not. Any sign of a change has all of it read.
    public func changed(since version: String?) throws(UsersError) -> UsersVersion? {
        let trace = OwnedFile.trace(path)
        if let version, let trace, trace.isOld, version.hasSuffix(" " + trace.text) { return nil }
        var found = try contents()
        if home != nil, found.place == nil {
            // Somebody has made the file anew while the server runs.
            try settle()
            found = try contents()
        }
        let now = UsersVersion(version: "\(found.head) \(trace?.text ?? "")", users: found.users)
        guard now.version != version else { return nil }
        // A mark that cannot be written now is written after the next change.
        try? note(found)
        return now
    }

    /// Nobody tells of changes of the file.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? { nil }

    /// The place that the file names.
    public func place() throws(UsersError) -> UsersPlace? { try contents().place }

    /// The file as a server uses it whose data is in this place. If there is none, it is made, with nobody in it.
    ///
    /// - Throws: ``UsersError/elsewhere(path:data:)`` if the users have their data in another place; ``UsersError/gone(path:mark:)``
    ///   if there was a file.
    public func settled(in place: UsersPlace) throws(UsersError) -> any UserRegister {
        var file = self
        file.home = place
        try file.settle()
        return file
    }

    private func settle() throws(UsersError) {
        let lock = try locked()
        defer { POSIX.unlock(lock) }
        var content = try contentsOrNew()
        if content.place != home {
            content.place = home
            try write(&content)
        }
        try raise(content)
    }

    // MARK: The file

    /// The contents. They have passed all checks.
    private func contents() throws(UsersError) -> UsersContent {
        guard let bytes = try bytes() else {
            let last = home?.generations
            if let last, last.exists { throw .gone(path: path, mark: last.path) }
            throw .none(path: path)
        }
        let content = try UsersContent(bytes, path: path)
        if let home, let place = content.place, place.mark != home.mark {
            throw .elsewhere(path: path, data: place.data)
        }
        try (home ?? content.place)?.generations.check(path, lineage: content.lineage, number: content.number)
        return content
    }

    private func contentsOrNew() throws(UsersError) -> UsersContent {
        do throws(UsersError) { return try contents() } catch {
            guard case .none = error else { throw error }
            return UsersContent(users: [])
        }
    }

    private func bytes() throws(UsersError) -> Data? {
        do throws(StoreError) {
            if POSIX.isSpecial(path) { throw .notAStore(path: path) }
            guard let file = try POSIX.openToRead(path) else { return nil }
            guard OwnedFile.isPrivate(path) else { throw .notAStore(path: path) }
            return try POSIX.read(file, upTo: Self.mostBytes)
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
        var content = mayCreate ? try contentsOrNew() : try contents()
        let value = try edit(&content.users)
        try write(&content)
        // The change is made, whether its number could be noted or not.
        try? raise(content)
        return value
    }

    /// Writes the next version. The lock is held.
    private func write(_ content: inout UsersContent) throws(UsersError) {
        do throws(StoreError) { try OwnedFile.replace(path, with: try content.nextVersion(path)) } catch {
            throw .store(error)
        }
    }

    /// Notes that a version is used, if it is not noted yet.
    private func note(_ content: UsersContent) throws(UsersError) {
        let lock = try locked()
        defer { POSIX.unlock(lock) }
        try raise(content)
    }

    private func raise(_ content: UsersContent) throws(UsersError) {
        guard let place = home ?? content.place else { return }
        // A command on another machine, or one that may not enter the folder of the keys, notes nothing.
        guard home != nil || place.generations.exists else { return }
        try place.generations.raise(path, lineage: content.lineage, number: content.number)
    }

    private func locked() throws(UsersError) -> POSIX.File {
        do throws(StoreError) {
            let folder = FilePath.folder(of: path)
            try POSIX.makeFolder(folder.isEmpty ? "." : folder)
            let lock = try POSIX.openToWrite(path + ".lock", truncate: false)
            try OwnedFile.giveToOwner(of: folder.isEmpty ? "." : folder, path + ".lock")
            for _ in 0..<10_000 {
                if try POSIX.tryLock(lock) { return lock }
                SystemThread.pause(microseconds: 1000)
            }
            throw .busy(path: path)
        } catch { throw .store(error) }
    }
}
