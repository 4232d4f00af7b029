import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import HTTPServer

@testable import App

/// The product on folders of its own, for data and for keys, with its clock under the test's control.
final class AppWorld: Sendable {
    let date = ManualDate(Date())
    let folder: URL
    private let keys: URL
    let services: Services
    let gate: Gate
    let site: Site
    let operations: Operations

    @MainActor
    init(token: String? = nil, _ change: (inout Configuration) -> Void = { _ in }) {
        folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-app-\(UUID().uuidString)")
        // The user's own keys are neither read nor added to.
        keys = FileManager.default.temporaryDirectory.appending(path: "aquifer-keys-\(UUID().uuidString)")
        var configuration = Configuration(data: folder, keys: keys, now: date.read, retry: .never)
        change(&configuration)
        services = Services(configuration)
        let addresses = SignedAddresses(token: token, now: date.read)
        site = Site(services, addresses: addresses)
        operations = Operations(services, watch: RequestWatch(log: .off))
        gate = Gate(host: "127.0.0.1", port: 80, token: token, addresses: addresses)
    }

    deinit {
        // A folder that cannot be removed is in one that the system empties.
        for made in [folder, keys] { try? FileManager.default.removeItem(at: made) }
    }

    /// The server's answer to a request.
    func request(_ method: String, _ target: String, _ body: String = "", _ headers: [String: String] = [:]) async
        -> ServerResponse
    {
        var fields = HTTPHeaders([.init("Host", "127.0.0.1")])
        for (name, value) in headers { fields[name] = value }
        let request = ServerRequest(HTTPMethod(rawValue: method), target, headers: fields, body: Data(body.utf8))
        if case .refused(let refusal) = WebServer.admission(of: request, gate) {
            return operations.watch.refused(request, refusal)
        }
        return await operations.watch.answer(request) { await WebServer.answer($0, site, operations) }
    }

    func json(_ method: String, _ target: String, _ body: String = "") async throws -> [String: Any] {
        let data = try await request(method, target, body).collectBody()
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    /// The states of a tab's screen, from the present one on.
    @MainActor
    func states<Kind: Screen>(
        _ kind: Kind.Type = FeedScreen.self, showing subject: String = "", tab: String = "tab",
        language: Language = .english
    ) -> StateReader {
        let context = ScreenContext(language: language, now: date.now)
        let session = site.hub.session(at: ScreenAddress(name: kind.name, tab: tab, subject: subject))
        return StateReader(session!.states { $0.text(context)() })
    }

    /// The states of a tab's screen of this name.
    @MainActor
    func states(named name: String) -> StateReader { states(Screens.named(name)!) }

    /// Sends a screen an intent as its page would: `drive?tab=tab`, and the intent with its fields.
    @discardableResult
    func tell(_ screen: String, _ intent: String, _ fields: [String: String] = [:]) async -> Int {
        let target = "/api/screens/" + screen.replacing("?", with: "/intents?")
        let all = fields.merging(["intent": intent]) { field, _ in field }
        let body = (try? JSONSerialization.data(withJSONObject: all)) ?? Data()  // texts always can
        return await request("POST", target, String(decoding: body, as: UTF8.self)).status
    }

    /// Loads the feed of a tab, and returns its items' pictures.
    @MainActor
    func load(tab: String = "tab") async throws -> [String] {
        let screen = site.hub.screen(FeedScreen.self, tab: tab)!
        await screen.model.appear()
        return screen.model.items.map { "/api/screens/feed/images/\($0.id.uuidString)?tab=\(tab)" }
    }
}
