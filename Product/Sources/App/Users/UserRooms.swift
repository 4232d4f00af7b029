import Aquifer
import Foundation
import HTTPServer

/// The user whose apps were asked for has been removed.
private struct UserIsGone: Error {}

/// The apps of each user, composed at the user's first request and dropped when they are not used any more.
@MainActor
final class UserRooms {
    /// The apps of one user.
    @MainActor
    final class Room {
        let ground: UserGround
        let services: Services
        let site: Site
        /// The number of requests whose answers have not been sent whole.
        fileprivate var visitors = 0
        fileprivate var lastUse = ContinuousClock.now

        fileprivate init(_ ground: UserGround, _ services: Services, _ site: Site) {
            (self.ground, self.services, self.site) = (ground, services, site)
        }

        /// True if nothing waits to be sent, and no outcome of a payment to be recorded. An outbox that cannot be read may hold
        /// something, unless its user is gone.
        fileprivate var hasNothingUnsent: Bool {
            get async {
                do throws(StoreError) {
                    guard try await services.outbox.items().isEmpty else { return false }
                } catch {
                    if case .ended = error { return true }
                    return false
                }
                return await !services.payments.desk.hasUnrecorded
            }
        }
    }

    /// The time that the apps of a user who is away are kept, so that a reload finds them again.
    static let keep = Duration.minutes(10)
    /// The most users whose apps are kept although they are away. Users who are here, and those with something unsent, are
    /// never dropped.
    static let most = 64
    /// The most requests and streams of one user at a time: more would take the connections of all others.
    static let mostVisitors = 128

    /// A request that is being answered, until its answer was sent, whatever its body is.
    private final class Visitor: Sendable {
        private let room: Room

        @MainActor
        init(_ room: Room) {
            self.room = room
            room.visitors += 1
            room.lastUse = .now
        }

        deinit {
            Task { @MainActor [room] in
                room.visitors -= 1
                room.lastUse = .now
            }
        }
    }

    private let base: Services
    let access: UserAccess
    private let bound: UInt64
    private let store: any CacheStore
    private var rooms: [UserID: Room] = [:]
    private var opening: [UserID: Task<Room, any Error>] = [:]
    private var isStopped = false

    init(_ base: Services, _ access: UserAccess, bound: UInt64) {
        (self.base, self.access, self.bound) = (base, access, bound)
        store = base.groundwork.store(.users)
    }

    /// The number of users whose apps are there now.
    var count: Int { rooms.count }

    /// The names of the users whose apps are there now.
    var present: Set<String> { Set(rooms.values.map(\.ground.name.text)) }

    /// The outboxes of the users whose apps are there: every user with something unsent is among them.
    var outboxes: [Outbox] { rooms.values.map(\.services.outbox) }

    /// Answers a request with the apps of its user, and with nothing else.
    func answer(_ request: ServerRequest, _ visit: UserAccess.Visit) async -> ServerResponse {
        let room: Room
        do { room = try await self.room(of: visit.user) } catch is UserIsGone {
            return Gate.loggedOut
        } catch {
            let failure = error as? StoreError
            if failure?.isOutOfReach == true { return Gate.outOfReach }
            let reason = failure?.forPages
            return .problem(
                500, "store", "what you have saved cannot be opened now" + (reason.map { ": \($0)" } ?? ""))
        }
        guard room.visitors < Self.mostVisitors else {
            var refusal = ServerResponse.problem(
                429, "busy", "this user has too many pages open on this server; close some of them")
            refusal.headers["Connection"] = "close"
            return refusal
        }
        let visitor = Visitor(room)
        var response = await room.site.api(request)
        response.keep(visitor)
        guard case .stream(let length, let body) = response.body else { return response }
        // A stream ends with the token that opened it, whichever route it comes from.
        response.body = .stream(length: length) { [access] writer in
            try await access.whileLetIn(visit) { try await body(writer) }
        }
        return response
    }

    /// The apps of a user, composed once.
    func room(of user: UserIdentity) async throws -> Room {
        if let room = rooms[user.id] { return room }
        if let task = opening[user.id] { return try await task.value }
        let task = Task { try await self.open(user) }
        opening[user.id] = task
        defer { opening[user.id] = nil }
        return try await task.value
    }

    private func open(_ user: UserIdentity) async throws -> Room {
        await dropUnused()
        let ground = UserGround(user, in: store, base.configuration, bound: bound)
        guard access.has(user.id) else { throw UserIsGone() }
        try await ground.open(ownsFolders: base.groundwork.place.ownsFolders)
        await access.refresh()
        guard access.has(user.id) else {
            // The user was removed meanwhile. The scope that was begun anew ends, too.
            try await ground.scope.end(unsent: .discard)
            throw UserIsGone()
        }
        let services = Services(base.groundwork.of(ground))
        await services.prepareDrive()
        // A room of somebody who was removed meanwhile would stay.
        guard access.has(user.id) else { throw UserIsGone() }
        let access = access
        let nobody = SignedAddresses(token: nil, now: base.configuration.now)
        let site = Site(services, users: access) { request in
            // A request that came in was let in; one whose token ended meanwhile signs nothing.
            let visit = try? access.visit(request)
            return visit.map { access.addresses(of: $0) } ?? nobody
        }
        let room = Room(ground, services, site)
        rooms[user.id] = room
        if !isStopped { site.hub.runner.start() }
        site.hub.follow(SystemConnectionMonitor())
        return room
    }

    /// The data of each user who is not leaving. Nobody's while the register cannot be read: it is looked at again.
    private var grounds: [UserGround] {
        ((try? access.users()) ?? []).filter { !$0.isLeaving }.compactMap { user in
            // A record without a sound id has no data.
            (try? UserIdentity(user)).map { UserGround($0, in: store, base.configuration, bound: bound) }
        }
    }

    /// Opens the apps of all users who have something unsent, so that it is sent while they are away.
    func resumeSending() async {
        for ground in grounds where !isStopped && rooms[ground.user.id] == nil {
            // A store that cannot be read is told at the user's next request.
            guard let entries = try? await ground.scope.store.contents(prefix: "item:").entries, !entries.isEmpty else {
                continue
            }
            _ = try? await room(of: ground.user)  // What cannot be opened is told at the user's next request.
        }
    }

    /// Removes the forms and files that users have left for more than a day.
    func sweepDrafts() async {
        for ground in grounds where !isStopped {
            guard let drafts = base.groundwork.place.drafts(own: ground.store) else { return }
            if let room = rooms[ground.user.id] {
                await room.site.hub.sweepDrafts(drafts)
            } else {
                await DraftFiles.sweep(drafts, now: base.configuration.now())
            }
        }
    }

    /// Drops the apps of users who are not among these any more.
    func keepOnly(_ users: Set<UserID>) async {
        for (id, room) in rooms where !users.contains(id) {
            rooms[id] = nil
            await room.site.hub.runner.stop()
        }
    }

    /// Drops the apps of users who are away, have nothing unsent, and have been away for long or are too many.
    func dropUnused(now: ContinuousClock.Instant = .now) async {
        let away = rooms.filter { $0.value.visitors == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
        var count = rooms.count
        for (id, room) in away {
            guard now - room.lastUse > Self.keep || count >= Self.most else { continue }
            guard await room.hasNothingUnsent, room.visitors == 0, rooms[id] === room else { continue }
            rooms[id] = nil
            count -= 1
            await room.site.hub.runner.stop()
        }
    }

    /// For each user: begins no further item of the outbox. Returns when the items under way have ended, or after `limit`.
    func finishSending(within limit: Duration) async {
        isStopped = true
        await withTaskGroup(of: Void.self) { group in
            for room in rooms.values { group.addTask { await room.site.hub.runner.finish(within: limit) } }
        }
    }

    /// Returns when the payments and posts of all screens have ended. No request may begin one any more.
    func finishScreens() async { for room in rooms.values { await room.site.hub.finish() } }

    /// Stops sending, for all users.
    func stop() async {
        isStopped = true
        for room in rooms.values { await room.site.hub.runner.stop() }
    }
}
