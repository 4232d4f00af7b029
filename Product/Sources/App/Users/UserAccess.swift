import Aquifer
import AquiferConcurrency
import AquiferCrypto
import Foundation
import HTTPServer

/// The users that a running server lets in. It follows the register: a user who is no longer in it is let in no more.
final class UserAccess: Sendable {
    /// A user, by one of the user's tokens.
    struct Visit: Sendable, Hashable {
        let user: UserIdentity
        /// The hash of the token.
        let hash: String
    }

    private struct State {
        var version: String?
        /// The number of the last look that began, and of the one whose finding is used.
        var looks = (begun: 0, used: 0)
        /// The users; an error while the register cannot be read.
        var users: Result<[UserRecord], UsersError>
        var streams: [UUID: (visit: Visit, end: @Sendable () -> Void)] = [:]
        var observers: [@Sendable (Set<UserID>) -> Void] = []
        /// The time at which the register could not be read for the first time; `nil` while it can.
        var unreadableSince: Duration?
    }

    /// The longest that a stream stays open while nobody knows whether its token has ended: a file that cannot be read has been
    /// damaged or removed.
    static let patienceWithFile = Duration.seconds(5)
    /// The same for a store: a server that is away comes back, or another takes its place.
    static let patienceWithStore = Duration.seconds(60)

    /// The time since some moment, which no setting of a clock changes.
    static let uptime: @Sendable () -> Duration = {
        let start = ContinuousClock.now
        return { start.duration(to: .now) }
    }()

    let register: any UserRegister
    /// Known to this server and its replicas only. The keys of signed addresses are made from it.
    private let secret: String
    private let now: @Sendable () -> Date
    private let uptime: @Sendable () -> Duration
    private let state: Locked<State>
    private let hearing = Locked<(@Sendable (UsersError) -> Void)?>(nil)

    /// - Throws: the reason why the register cannot be used.
    init(
        _ register: any UserRegister, secret: String, now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Duration = uptime
    ) async throws(UsersError) {
        (self.register, self.secret, self.now, self.uptime) = (register, secret, now, uptime)
        let found = try await register.changed(since: nil)
        state = Locked(State(version: found?.version, users: .success(found?.users ?? [])))
    }

    /// True if a look takes no longer than a file is read.
    var looksAtOnce: Bool { register is UsersFile }

    /// Looks at the register. Streams of tokens that have ended are ended, and observers are told the users who remain.
    ///
    /// While the register cannot be read nobody is let in. Streams that are open stay for a while, because nobody has ended them.
    func refresh() async {
        let (number, version) = begin()
        let found: Result<UsersVersion?, UsersError>
        do throws(UsersError) { found = .success(try await register.changed(since: version)) } catch {
            found = .failure(error)
        }
        take(found, number)
    }

    /// Looks at the register, if that can be done at once.
    func refreshAtOnce() {
        guard let file = register as? UsersFile else { return }
        let (number, version) = begin()
        let found: Result<UsersVersion?, UsersError>
        do throws(UsersError) { found = .success(try file.changed(since: version)) } catch { found = .failure(error) }
        take(found, number)
    }

    /// The number of a look that begins, and the version that is known. After an error everything is looked at.
    private func begin() -> (Int, String?) {
        state.withLock { state in
            state.looks.begun += 1
            if case .failure = state.users { return (state.looks.begun, nil) }
            return (state.looks.begun, state.version)
        }
    }

    /// Uses what a look has found, unless a look that began later has found something: that is as new, or newer.
    private func take(_ found: Result<UsersVersion?, UsersError>, _ number: Int) {
        if case .failure(let error) = found, (try? users()) != nil { hearing.withLock { $0 }?(error) }
        let uptime = uptime()
        let (ended, observers, users) = state.withLock { state in
            let nothing = ([], [], nil) as ([@Sendable () -> Void], [@Sendable (Set<UserID>) -> Void], [UserRecord]?)
            guard number > state.looks.used else { return nothing }
            state.looks.used = number
            let version: UsersVersion
            do throws(UsersError) {
                guard let changed = try found.get() else { return nothing }
                version = changed
            } catch {
                state.users = .failure(error)
                let since = state.unreadableSince ?? uptime
                state.unreadableSince = since
                guard uptime - since >= patience else { return nothing }
                return (Self.end(&state) { _ in true }, [], nil)
            }
            (state.version, state.users, state.unreadableSince) = (version.version, .success(version.users), nil)
            let ended = Self.end(&state) { !Self.isLetIn($0, version.users) }
            return (ended, state.observers, version.users)
        }
        for end in ended { end() }
        guard let users else { return }
        let present = Set(users.map(\.id))
        for observer in observers { observer(present) }
    }

    /// Calls `hear` with the reason, each time that the register cannot be read any more.
    func hearTroubles(_ hear: @escaping @Sendable (UsersError) -> Void) { hearing.withLock { $0 = hear } }

    private var patience: Duration { looksAtOnce ? Self.patienceWithFile : Self.patienceWithStore }

    private static func end(_ state: inout State, _ isOver: (Visit) -> Bool) -> [@Sendable () -> Void] {
        let ended = state.streams.filter { isOver($0.value.visit) }
        for id in ended.keys { state.streams[id] = nil }
        return ended.values.map(\.end)
    }

    /// Calls `observer` with the users of the register, after each change of it. A user who is being removed is among them: it is
    /// not certain yet.
    func observe(_ observer: @escaping @Sendable (Set<UserID>) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// The users.
    ///
    /// - Throws: the reason why the register cannot be used now.
    func users() throws(UsersError) -> [UserRecord] { try state.withLock { $0.users }.get() }

    /// True if a user is in the register, as far as it can be read.
    func has(_ user: UserID) -> Bool { (try? users().contains { $0.id == user }) ?? true }

    /// The user of a request, by its token or its signed address; `nil` if it has neither.
    ///
    /// - Throws: ``UsersError/leaving(_:)`` if the user is being removed; the reason why the register cannot be used now.
    func visit(_ request: ServerRequest) throws(UsersError) -> Visit? {
        let users = try users()
        guard let visit = visit(request, users) else { return nil }
        if users.contains(where: { $0.id == visit.user.id && $0.isLeaving }) { throw .leaving(visit.user.name.text) }
        return visit
    }

    private func visit(_ request: ServerRequest, _ users: [UserRecord]) -> Visit? {
        // The scheme is case-insensitive (RFC 9110, 11.1).
        if let field = request.headers["Authorization"], field.lowercased().hasPrefix("bearer ") {
            return Self.visit(withHash: UserToken.hash(String(field.dropFirst(7))), users)
        }
        guard let session = request.queryValue(SignedAddresses.sessionField) else { return nil }
        return Self.visits(users).first {
            SignedAddresses.session(of: $0.hash) == session && addresses(of: $0).admits(request)
        }
    }

    /// True if a request has a token or a signed address, whether they are valid or not.
    func hasCredentials(_ request: ServerRequest) -> Bool {
        request.headers["Authorization"] != nil || request.queryValue(SignedAddresses.sessionField) != nil
    }

    /// The signed addresses of a token: they end with it, and open nothing of another user.
    func addresses(of visit: Visit) -> SignedAddresses {
        SignedAddresses(user: visit.user.id.text, hash: visit.hash, secret: secret, now: now)
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
    func logOut(_ visit: Visit, everywhere: Bool) async throws(UsersError) {
        try await register.endTokens(of: visit.user.id, hash: everywhere ? nil : visit.hash)
        await refresh()
    }

    /// True if a token has not ended. A removal that is not certain yet ends none.
    private static func isLetIn(_ visit: Visit, _ users: [UserRecord]) -> Bool {
        users.contains { user in user.id == visit.user.id && user.tokens.contains { $0.hash == visit.hash } }
    }

    /// The visit of a hash. Every hash is compared, each in constant time: the time does not tell which one matched.
    private static func visit(withHash hash: String, _ users: [UserRecord]) -> Visit? {
        var found: Visit?
        for visit in visits(users) where UserToken.equal(visit.hash, hash) { found = visit }
        return found
    }

    private static func visits(_ users: [UserRecord]) -> [Visit] {
        users.flatMap { record in
            // An undamaged register holds only names that were checked.
            guard let user = try? UserIdentity(record) else { return [Visit]() }
            return record.tokens.map { Visit(user: user, hash: $0.hash) }
        }
    }
}
