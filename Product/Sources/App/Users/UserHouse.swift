import Aquifer
import Foundation
import HTTPServer

/// The users of a server that has several: who they are, their apps, and the look at their register.
struct UserHouse: Sendable {
    /// The time between two looks at the register. Every request looks, too.
    static let pause = Duration.seconds(1)
    /// The longest that a request waits for a look at the register: another replica may be nearer to it.
    static let patience = Duration.seconds(2)
    /// The looks after which unused apps are dropped, and unsent changes looked for.
    static let rounds = 60

    let access: UserAccess
    let rooms: UserRooms

    /// - Parameters:
    ///   - register: The users. If there are none yet, it begins with nobody.
    ///   - bound: The most bytes that each user keeps.
    ///   - uptime: The time since some moment.
    /// - Throws: the reason why the register cannot be used.
    @MainActor
    init(
        _ services: Services, _ register: any UserRegister, bound: UInt64,
        uptime: @escaping @Sendable () -> Duration = UserAccess.uptime
    ) async throws(UsersError) {
        let (secret, place): (String, UsersPlace)
        do throws(StoreError) {
            secret = try await services.groundwork.place.token()
            place = try await services.groundwork.usersPlace()
        } catch { throw .store(error) }
        access = try await UserAccess(
            try await register.settled(in: place), secret: secret, now: services.configuration.now, uptime: uptime)
        let rooms = UserRooms(services, access, bound: bound)
        self.rooms = rooms
        access.observe { present in Task { @MainActor in await rooms.keepOnly(present) } }
    }

    /// True if nobody has been added yet.
    var isEmpty: Bool {
        // While the users cannot be read nobody knows.
        (try? access.users().isEmpty) ?? false
    }

    /// Answers a request of a user below `/api/`.
    func answer(
        _ request: ServerRequest, clock: any Clock<Duration> = ContinuousClock()
    ) async -> ServerResponse {
        let isInTime: Void? = await firstWithin(Self.patience, clock: clock) { await access.refresh() }
        if isInTime == nil { return Gate.outOfReach }
        do throws(UsersError) {
            guard let visit = try access.visit(request) else { return Gate.loggedOut }
            return await rooms.answer(request, visit)
        } catch {
            return Gate.refusal(for: error)
        }
    }

    /// Follows the register, sends what is unsent and drops what is unused, until it is cancelled.
    func run(clock: any Clock<Duration> = ContinuousClock()) async {
        // A logout at another replica ends streams here as soon as it is told.
        let observation = access.register.observe { [access] in Task { await access.refresh() } }
        defer { observation?.cancel() }
        await rooms.resumeSending()
        var looks = 0
        // It ends when it is cancelled.
        while (try? await clock.sleep(for: Self.pause)) != nil {
            await access.refresh()
            looks += 1
            guard looks.isMultiple(of: Self.rounds) else { continue }
            await rooms.dropUnused()
            // Another replica may have ended with the unsent changes of users who are away.
            await rooms.resumeSending()
        }
    }
}
