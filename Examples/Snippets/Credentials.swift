import Aquifer
import AquiferTesting
import Foundation
import Testing

/// The user's login. An app keeps the tokens in the keychain.
actor Login {
    struct Tokens: Codable {
        let access: String
        let refresh: String
    }

    private let user: String
    private var tokens: Tokens?
    private let client: any HTTPClient
    private let address: URL

    init(of user: String, _ tokens: Tokens?, at address: URL, over client: any HTTPClient) {
        self.user = user
        self.tokens = tokens
        self.address = address
        self.client = client
    }
}

extension Login {
    var credentials: Credentials {
        get throws {
            guard let tokens else { throw TransportError(.unauthorized, "nobody is logged in") }
            return .bearer(tokens.access, owner: user)
        }
    }
}

extension Login {
    func renew() async throws -> Credentials? {
        guard let old = tokens else { return nil }
        let question = HTTPRequest(
            .post, address, headers: ["Content-Type": "application/json"],
            body: .bytes(try JSONEncoder().encode(["refresh": old.refresh])))
        let response = try await client.send(question)
        switch response.head.status {
        case 200: tokens = try JSONDecoder().decode(Tokens.self, from: try await response.data(upTo: 64 << 10))
        case 400, 401: tokens = nil  // the server has ended this login
        default: throw LoadError.invalidData(.status(response.head.status))
        }
        return tokens.map { .bearer($0.access, owner: user) }
    }
}

func client(for login: Login, at api: URL, over base: any HTTPClient) -> AuthenticatingClient {
    AuthenticatingClient(base, origins: [api]) {
        try await login.credentials
    } renew: { _ in
        try await login.renew()
    }
}

@MainActor func compose(
    _ outbox: Outbox, _ notes: ResourceModel<[String]>, following monitor: some ConnectionMonitor
) {
    outbox.follow(monitor)
    notes.follow(monitor)
}

@Suite("The snippets of Credentials", .timeLimit(.minutes(10)))
struct CredentialsTests {
    private let api = URL(string: "https://api.example.org/notes")!
    private let logins = URL(string: "https://login.example.org/token")!

    /// A server whose logins are renewed with the status, and which accepts the renewed ones.
    private func server(renewing status: Int) -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            if request.url.host() == "login.example.org" {
                return .answer(status: status, body: Data(#"{"access": "new", "refresh": "r2"}"#.utf8))
            }
            let isAccepted = request.headers["Authorization"] == "Bearer new"
            return isAccepted ? .answer(body: Data(#"["milk"]"#.utf8)) : .answer(status: 401)
        }
    }

    private func notes(over server: ScriptedHTTPClient, saved: [String] = []) async throws -> Resource<[String]> {
        let login = Login(of: "ann", .init(access: "old", refresh: "r1"), at: logins, over: server)
        let cache = Cache<[String]>(key: "notes", in: MemoryStore())
        if !saved.isEmpty { try await cache.save(saved) }
        let client = client(for: login, at: api, over: server)
        return Resource(
            remote: RemoteLoader(HTTPRequest(.get, api), client: client, map: JSONMapper().map), cache: cache)
    }

    @Test("An expired token is renewed, and the load delivers the latest")
    func expired() async throws {
        let server = server(renewing: 200)
        let loaded = try await notes(over: server).load()
        #expect(loaded.value == ["milk"] && loaded.source == .remote && server.requests.count == 3)
        #expect(server.requests[1].headers["Authorization"] == nil)
    }

    @Test("A login that the server has ended hides the saved copy; a failed server does not")
    func ended() async throws {
        for status in [400, 401] {
            let notes = try await notes(over: server(renewing: status), saved: ["old"])
            #expect(await failure { () async throws(LoadError) in try await notes.load() }?.trouble == .denied)
        }
        let loaded = try await notes(over: server(renewing: 503), saved: ["old"]).load()
        #expect(loaded.value == ["old"])
    }

    @MainActor @Test("A connection that comes back is told to the outbox and to the screen")
    func connection() async throws {
        let monitor = ManualConnectionMonitor()
        let model = ResourceModel(try await notes(over: server(renewing: 200)))
        let outbox = Outbox(in: MemoryStore(), client: OfflineClient())
        compose(outbox, model, following: monitor)
        #expect(await eventually { monitor.readers == 2 })
    }
}
