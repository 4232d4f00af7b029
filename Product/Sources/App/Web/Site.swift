import Aquifer
import Foundation
import HTTPServer

/// The pages, and the API behind them.
struct Site: Sendable {
    /// Answers what is below `/api/`.
    let router: Router
    let hub: ScreenHub
    private let unread = UnreadBodies()

    @MainActor
    init(_ services: Services, addresses: SignedAddresses) {
        self.init(services) { _ in addresses }
    }

    /// - Parameter addresses: The signed addresses of whoever sends a request.
    @MainActor
    init(
        _ services: Services, users: UserAccess? = nil,
        addresses: @escaping @Sendable (ServerRequest) -> SignedAddresses
    ) {
        var router = Router()
        hub = ScreenHub(services)
        let relays = Relays()
        ScreenAPI(hub: hub, services: services, addresses: addresses).add(to: &router)
        AudioAPI(hub: hub, services: services, relays: relays).add(to: &router)
        DriveAPI(hub: hub, services: services, relays: relays).add(to: &router)
        InspectorAPI(services: services).add(to: &router)
        ConnectionAPI(hub: hub, services: services).add(to: &router)
        UserAPI(services: services, users: users).add(to: &router)
        router.fallback = { _ in .problem(404, "notFound", "there is no such thing here") }
        self.router = router
    }

    /// A page, or a part of one.
    func page(_ request: ServerRequest) -> ServerResponse { PageFiles.answer(request) }

    func api(_ request: ServerRequest) async -> ServerResponse {
        let answer = await router.handle(request)
        // What was carried out is answered.
        return request.method == .get ? unread.counting(answer) : answer
    }
}
