import Aquifer
import Foundation
import HTTPServer

/// The users of a server that has several: who they are, their apps, and the look at their register.
struct UserHouse: Sendable {
    /// The time between two looks at the register. Every request looks, too.
    static let pause = Duration.seconds(1)

    let access: UserAccess
    let rooms: UserRooms

    /// - Parameters:
    ///   - register: The users.
    ///   - bound: The most bytes that each user keeps.
    /// - Throws: the reason why the register cannot be used.
    @MainActor
    init(_ services: Services, _ register: any UserRegister, bound: UInt64) async throws(UsersError) {
        let secret: String
        do throws(StoreError) { secret = try await services.groundwork.place.token() } catch { throw .store(error) }
        access = try await UserAccess(register, secret: secret, now: services.configuration.now)
        let rooms = UserRooms(services, access, bound: bound)
        self.rooms = rooms
        access.observe { present in Task { @MainActor in await rooms.keepOnly(present) } }
    }

    /// Answers a request of a user below `/api/`.
    func answer(_ request: ServerRequest) async -> ServerResponse {
        await access.refresh()
        do throws(UsersError) {
            guard let visit = try access.visit(request) else { return Gate.loggedOut }
            return await rooms.answer(request, visit)
        } catch {
            return Gate.unusable
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
            if looks.isMultiple(of: 60) { await rooms.dropUnused() }
        }
    }
}
