import Aquifer
import Foundation

/// The users of a server, with the hashes of their tokens: in a file of this machine (``UsersFile``), or in a store that replicas
/// share (``StoredUsers``).
///
/// Changes that are made at once are all kept. Damage is an error, and never "no users".
public protocol UserRegister: Sendable {
    /// The users, in the order in which they were added.
    ///
    /// - Throws: ``UsersError``; one of its kinds says that nobody has been added.
    func read() async throws(UsersError) -> [UserRecord]

    /// Adds a user with a first token, which is returned and kept nowhere.
    ///
    /// - Throws: ``UsersError/exists(_:)`` if there is one of this name.
    func add(_ name: UserName, at date: Date) async throws(UsersError) -> String

    /// Adds a token for another device of a user.
    ///
    /// - Throws: ``UsersError/unknown(_:)`` if there is no such user.
    func addToken(_ name: UserName, at date: Date) async throws(UsersError) -> String

    /// Ends tokens of a user. Nothing happens if the user has been removed meanwhile.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - hash: The hash of the one token to end; `nil` for all of them.
    /// - Returns: the number of tokens that were ended.
    @discardableResult
    func endTokens(of user: UserID, hash: String?) async throws(UsersError) -> Int

    /// Notes that a user is being removed, or is not any more. Nobody is let in meanwhile. Nothing happens if the user has been
    /// removed.
    func setLeaving(_ user: UserID, _ isLeaving: Bool) async throws(UsersError)

    /// Takes a user out. Nothing happens if the user is not in it.
    func remove(_ user: UserID) async throws(UsersError)

    /// The users, if they have changed since a version; `nil` if they have not.
    func changed(since version: String?) async throws(UsersError) -> UsersVersion?

    /// Calls `onChange` after the users were changed elsewhere, as far as that is told; `nil` if it is not told at all.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation?

    /// The register as a server uses it whose data is in this place. If there are no users yet, it begins with nobody.
    ///
    /// - Throws: ``UsersError/elsewhere(path:data:)`` if the users have their data in another place.
    func settled(in place: UsersPlace) async throws(UsersError) -> any UserRegister

    /// The place of the users' data; `nil` if it is in the stores that have the register itself, or no server has used it yet.
    func place() async throws(UsersError) -> UsersPlace?
}

extension UserRegister {
    /// The user of a name.
    ///
    /// - Throws: ``UsersError/unknown(_:)`` if there is none.
    public func user(_ name: UserName) async throws(UsersError) -> UserRecord {
        guard let user = try await read().first(where: { $0.name == name.text }) else { throw .unknown(name.text) }
        return user
    }
}

/// The users at one time.
public struct UsersVersion: Sendable, Hashable {
    /// A text that is another one after each change.
    let version: String
    let users: [UserRecord]
}

/// Changes of the list of the users.
extension [UserRecord] {
    /// Adds a user with a token.
    mutating func add(_ name: UserName, _ token: String, at date: Date) throws(UsersError) {
        if let other = first(where: { $0.name.lowercased() == name.folded }) { throw .exists(other.name) }
        append(UserRecord(name: name.text, tokens: [.init(token, date)]))
    }

    /// Adds a token.
    mutating func addToken(_ name: UserName, _ token: String, at date: Date) throws(UsersError) {
        guard let index = firstIndex(where: { $0.name == name.text }) else { throw .unknown(name.text) }
        guard !self[index].isLeaving else { throw .leaving(name.text) }
        self[index].tokens.append(.init(token, date))
    }

    /// Ends one token, or all of them.
    mutating func endTokens(of user: UserID, hash: String?) -> Int {
        guard let index = firstIndex(where: { $0.id == user }) else { return 0 }
        let before = self[index].tokens.count
        self[index].tokens.removeAll { hash == nil || $0.hash == hash }
        return before - self[index].tokens.count
    }

    /// Notes that a user is being removed, or is not any more.
    mutating func setLeaving(_ user: UserID, _ isLeaving: Bool) {
        for index in indices where self[index].id == user { self[index].isLeaving = isLeaving }
    }

    /// Takes a user out.
    mutating func remove(_ user: UserID) { removeAll { $0.id == user } }
}

extension UserRecord.Token {
    fileprivate init(_ token: String, _ date: Date) {
        self.init(hash: UserToken.hash(token), made: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
    }
}
