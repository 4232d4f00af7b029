import Aquifer
import Foundation
import HTTPServer

/// The name of the user, and logging out.
struct UserAPI: Sendable {
    let services: Services
    /// The users of the server; `nil` if it has one user only.
    let users: UserAccess?

    func add(to router: inout Router) {
        router.on("GET", "/api/user") { _, _ in .json(Answer(name: services.user?.name.text)) }
        router.on("POST", "/api/user/logout") { request, _ in await logOut(request) }
    }

    /// The user of a page.
    struct Answer: Codable, Sendable {
        /// The name; `null` if the server has one user only, who cannot log out.
        @OrNull var name: String?
    }

    /// `{"everywhere": true}` ends all tokens of the user, `{"everywhere": false}` the one of the request.
    private func logOut(_ request: ServerRequest) async -> ServerResponse {
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 4096),
            let everywhere = try? JSONDecoder().decode([String: Bool].self, from: body)["everywhere"]
        else { return .problem(400, "logout", "send {\"everywhere\": true} or {\"everywhere\": false}") }
        guard let users, services.user != nil else {
            return .problem(404, "notFound", "this server has one user, who does not log out")
        }
        do throws(UsersError) {
            // The request came in with a token, which may have ended meanwhile: then it is as it was wished.
            if let visit = try users.visit(request) { try await users.logOut(visit, everywhere: everywhere) }
            return .empty()
        } catch {
            return Gate.refusal(for: error)
        }
    }
}
