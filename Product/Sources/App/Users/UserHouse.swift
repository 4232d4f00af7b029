import Aquifer
import Foundation
import HTTPServer

/// The users of a server that has several: who they are, their apps, and the look at their file.
struct UserHouse: Sendable {
    /// The time between two looks at the file. Every request looks, too.
    static let pause = Duration.seconds(1)

    let access: UserAccess
    let rooms: UserRooms

    /// - Parameters:
    ///   - file: The users.
    ///   - bound: The most bytes that each user keeps.
    /// - Throws: the reason why the file cannot be used.
    @MainActor
    init(_ services: Services, _ file: UsersFile, bound: UInt64) throws(UsersError) {
        let configuration = services.configuration
        access = try UserAccess(
            file, secret: AccessToken.kept(in: configuration.data), now: configuration.now)
        let rooms = UserRooms(services, access, bound: bound)
        self.rooms = rooms
        access.observe { present in Task { @MainActor in await rooms.keepOnly(present) } }
    }

    /// Answers a request of a user below `/api/`.
    func answer(_ request: ServerRequest) async -> ServerResponse {
        access.refresh()
        do throws(UsersError) {
            guard let visit = try access.visit(request) else { return Gate.loggedOut }
            return await rooms.answer(request, visit)
        } catch {
            return Gate.unusable
        }
    }

    /// Follows the file, sends what is unsent and drops what is unused, until it is cancelled.
    func run(clock: any Clock<Duration> = ContinuousClock()) async {
        await rooms.resumeSending()
        var looks = 0
        // It ends when it is cancelled.
        while (try? await clock.sleep(for: Self.pause)) != nil {
            access.refresh()
            looks += 1
            if looks.isMultiple(of: 60) { await rooms.dropUnused() }
        }
    }
}
