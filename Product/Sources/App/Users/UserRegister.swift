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

    /// Ends tokens of a user.
    ///
    /// - Parameters:
    ///   - name: The user.
    ///   - hash: The hash of the one token to end; `nil` for all of them.
    /// - Returns: the number of tokens that were ended.
    @discardableResult
    func endTokens(of name: UserName, hash: String?) async throws(UsersError) -> Int

    /// Notes that a user is being removed, or is not any more. Nobody is let in meanwhile.
    func setLeaving(_ name: UserName, _ isLeaving: Bool) async throws(UsersError)

    /// Takes a user out.
    func remove(_ name: UserName) async throws(UsersError)

    /// The users, if they have changed since a version; `nil` if they have not.
    func changed(since version: String?) async throws(UsersError) -> UsersVersion?

    /// Calls `onChange` after the users were changed elsewhere, as far as that is told; `nil` if it is not told at all.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation?
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
        append(UserRecord(name: name.text, tokens: [.init(token, date)], isLeaving: false))
    }

    /// Adds a token.
    mutating func addToken(_ name: UserName, _ token: String, at date: Date) throws(UsersError) {
        try change(name) { user throws(UsersError) in
            guard !user.isLeaving else { throw .leaving(user.name) }
            user.tokens.append(.init(token, date))
        }
    }

    /// Ends one token, or all of them.
    mutating func endTokens(of name: UserName, hash: String?) throws(UsersError) -> Int {
        try change(name) { user throws(UsersError) in
            let before = user.tokens.count
            user.tokens.removeAll { hash == nil || $0.hash == hash }
            return before - user.tokens.count
        }
    }

    /// Takes a user out.
    mutating func remove(_ name: UserName) throws(UsersError) {
        guard contains(where: { $0.name == name.text }) else { throw .unknown(name.text) }
        removeAll { $0.name == name.text }
    }

    /// Changes one user.
    mutating func change<Value>(
        _ name: UserName, _ edit: (inout UserRecord) throws(UsersError) -> Value
    ) throws(UsersError) -> Value {
        guard let index = firstIndex(where: { $0.name == name.text }) else { throw .unknown(name.text) }
        return try edit(&self[index])
    }
}

extension UserRecord.Token {
    fileprivate init(_ token: String, _ date: Date) {
        self.init(hash: UserToken.hash(token), made: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
    }
}
