import Aquifer
import AquiferConcurrency
import AquiferCrypto
import Foundation
import HTTPServer

/// The users that a running server lets in. It follows the file: whoever is no longer in it is let in no more.
final class UserAccess: Sendable {
    /// A user, by one of the user's tokens.
    struct Visit: Sendable, Hashable {
        let user: UserName
        /// The hash of the token.
        let hash: String
    }

    private struct State {
        var head: String?
        /// The users; an error while the file cannot be read.
        var users: Result<[UserRecord], UsersError>
        var streams: [UUID: (visit: Visit, end: @Sendable () -> Void)] = [:]
        var observers: [@Sendable (Set<String>) -> Void] = []
    }

    let file: UsersFile
    /// Known to this server only. The keys of signed addresses are made from it.
    private let secret: String
    private let now: @Sendable () -> Date
    private let state: Locked<State>
    /// Held while the file is read, so that an older reading never replaces a newer one.
    private let reading = Lock()

    /// - Throws: the reason why the file cannot be used.
    init(_ file: UsersFile, secret: String, now: @escaping @Sendable () -> Date) throws(UsersError) {
        (self.file, self.secret, self.now) = (file, secret, now)
        let (head, users) = try file.contents()
        state = Locked(State(head: head, users: .success(users)))
    }

    /// Looks at the file. Streams of tokens that have ended are ended, and observers are told the users who remain.
    ///
    /// While the file cannot be read nobody is let in. Streams that are open stay, because nobody has ended them.
    func refresh() {
        reading.withLock {
            let found: Result<(head: String, users: [UserRecord]), UsersError>?
            do throws(UsersError) {
                let head = try file.head()
                // After an error the whole file is looked at.
                let isSame = state.withLock { $0.head == head && (try? $0.users.get()) != nil }
                found = isSame ? nil : .success(try file.contents())
            } catch { found = .failure(error) }
            guard let found else { return }
            take(found)
        }
    }

    private func take(_ found: Result<(head: String, users: [UserRecord]), UsersError>) {
        let users = found.map(\.users)
        let (ended, observers) = state.withLock { state in
            state.users = users
            guard case .success(let (head, users)) = found else {
                return ([], []) as ([@Sendable () -> Void], [@Sendable (Set<String>) -> Void])
            }
            state.head = head
            let ended = state.streams.filter { !Self.isLetIn($0.value.visit, users) }
            for id in ended.keys { state.streams[id] = nil }
            return (ended.values.map(\.end), state.observers)
        }
        for end in ended { end() }
        guard case .success(let users) = users else { return }
        let present = Set(users.filter { !$0.isLeaving }.map(\.name))
        for observer in observers { observer(present) }
    }

    /// Calls `observer` with the names of the users who may be let in, after each change of the file.
    func observe(_ observer: @escaping @Sendable (Set<String>) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// The users.
    ///
    /// - Throws: the reason why the file cannot be used now.
    func users() throws(UsersError) -> [UserRecord] { try state.withLock { $0.users }.get() }

    /// Whose request this is, by its token or its signed address; `nil` if it has neither.
    ///
    /// - Throws: the reason why the file cannot be used now.
    func visit(_ request: ServerRequest) throws(UsersError) -> Visit? {
        let users = try users()
        // The scheme is case-insensitive (RFC 9110, 11.1).
        if let field = request.headers["Authorization"], field.lowercased().hasPrefix("bearer ") {
            return Self.visit(withHash: UserToken.hash(String(field.dropFirst(7))), users)
        }
        guard let session = request.queryValue(SignedAddresses.sessionField) else { return nil }
        return Self.visits(users).first {
            SignedAddresses.session(of: $0.hash) == session && addresses(of: $0).admits(request)
        }
    }

    /// The signed addresses of a token: they end with it, and open nothing of another user.
    func addresses(of visit: Visit) -> SignedAddresses {
        SignedAddresses(user: visit.user.text, hash: visit.hash, secret: secret, now: now)
    }

    /// Runs the body of an answer for as long as the visitor's token is valid; then the task of `body` is cancelled.
    func whileLetIn(_ visit: Visit, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task { try await body() }
        let id = UUID()
        let isIn = state.withLock { state in
            if case .success(let users) = state.users, !Self.isLetIn(visit, users) { return false }
            state.streams[id] = (visit, { task.cancel() })
            return true
        }
        if !isIn { task.cancel() }
        defer { state.withLock { _ = $0.streams.removeValue(forKey: id) } }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends the token of a visit, or all of its user.
    func logOut(_ visit: Visit, everywhere: Bool) throws(UsersError) {
        try file.endTokens(of: visit.user, hash: everywhere ? nil : visit.hash)
        refresh()
    }

    private static func isLetIn(_ visit: Visit, _ users: [UserRecord]) -> Bool {
        users.contains { user in
            user.name == visit.user.text && !user.isLeaving && user.tokens.contains { $0.hash == visit.hash }
        }
    }

    /// The visit of a hash. Every hash is compared, each in constant time: the time does not tell which one matched.
    private static func visit(withHash hash: String, _ users: [UserRecord]) -> Visit? {
        var found: Visit?
        for visit in visits(users) where UserToken.equal(visit.hash, hash) { found = visit }
        return found
    }

    private static func visits(_ users: [UserRecord]) -> [Visit] {
        users.filter { !$0.isLeaving }.flatMap { user in
            // A file of a right checksum holds only names that were checked.
            guard let name = try? UserName(user.name) else { return [Visit]() }
            return user.tokens.map { Visit(user: name, hash: $0.hash) }
        }
    }
}
