import Aquifer
import Foundation
import HTTPServer

/// The pages, and the API behind them.
struct Site: Sendable {
    private let files: StaticFiles
    /// Answers what is below `/api/`.
    let router: Router
    let hub: ScreenHub

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
        let folder = Bundle.module.resourceURL ?? URL(filePath: "/nonexistent")
        files = StaticFiles(root: folder.appending(path: "Public"))
        var router = Router()
        hub = ScreenHub(services)
        ScreenAPI(hub: hub, services: services, addresses: addresses).add(to: &router)
        AudioAPI(hub: hub, services: services).add(to: &router)
        DriveAPI(hub: hub, services: services).add(to: &router)
        InspectorAPI(services: services).add(to: &router)
        ReplayAPI(hub: hub).add(to: &router)
        ConnectionAPI(hub: hub, services: services).add(to: &router)
        UserAPI(services: services, users: users).add(to: &router)
        router.fallback = { _ in .problem(404, "notFound", "there is no such thing here") }
        self.router = router
    }

    /// `/assets/words/…` are the texts of a language, `/assets/…` are files; every other address is the one page, which
    /// shows the screen that the address names.
    func page(_ request: ServerRequest) -> ServerResponse {
        if let words = PageWords.response(for: request) { return words }
        let prefix = "/assets/"
        if request.rawPath.hasPrefix(prefix) {
            return files.response(for: request, path: "/" + request.rawPath.dropFirst(prefix.count))
        }
        if request.rawPath == "/favicon.ico" { return files.response(for: request, path: "/icons/favicon.svg") }
        return files.response(for: request, path: "/index.html")
    }

    func api(_ request: ServerRequest) async -> ServerResponse {
        await router.handle(request)
    }
}
