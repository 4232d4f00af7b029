import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("A client that adds credentials", .timeLimit(.minutes(10)))
struct AuthenticatingClientTests {
    private let world = LoginWorld()

    private func text(_ client: any HTTPClient, _ request: HTTPRequest) async throws -> String {
        String(decoding: try await client.send(request).data(upTo: 1000), as: UTF8.self)
    }

    private var get: HTTPRequest { HTTPRequest(.get, world.api) }

    // MARK: Adding

    @Test("adds those of the moment to each request, and keeps the request's other fields")
    func adds() async throws {
        let base = world.scripted()
        let client = world.client(base)
        var request = get
        request.headers["Accept"] = "text/plain"
        #expect(try await text(client, request) == "welcome")
        world.token = 2
        world.accepted = 2
        #expect(try await text(client, get) == "welcome")
        #expect(base.requests.map(\.token) == ["Bearer token-1", "Bearer token-2"])
        #expect(base.requests[0].headers["Accept"] == "text/plain" && world.renewals == 0)
    }

    @Test(
        "shows them to no other scheme, host or port",
        arguments: [
            "http://api.example/", "https://api.example:8443/", "https://sub.api.example/", "https://api.example.evil/",
            "https://evil@other.example/", "https://other.example/?https://api.example",
        ])
    func otherOrigins(address: String) async throws {
        let base = world.scripted()
        let url = try #require(URL(string: address))
        #expect(try await text(world.client(base), HTTPRequest(.get, url)) == "who?")
        #expect(base.requests.map(\.token) == [nil] && world.renewals == 0)
    }

    @Test("takes the names of an origin as they are compared: case, and the port that is the default")
    func sameOrigin() async throws {
        let base = world.scripted()
        for address in ["HTTPS://API.example/a", "https://api.example:443/b"] {
            #expect(
                try await text(world.client(base), HTTPRequest(.get, try #require(URL(string: address)))) == "welcome")
        }
    }

    @Test("sends a request without any when nobody is logged in, and a 401 to it renews nothing")
    func loggedOut() async throws {
        world.token = nil
        let base = world.scripted()
        #expect(try await world.client(base).send(get).head.status == 401)
        #expect(base.requests.map(\.token) == [nil] && world.renewals == 0)
    }

    @Test(
        "does not send an item of an outbox without any: it waits, and the next login sends it",
        arguments: [false, true])
    func loggedOutItem(isThrown: Bool) async throws {
        struct Keychain: Error {}
        let items = OutboxWorld()
        if isThrown { world.failure = Keychain() } else { world.token = nil }
        let base = world.scripted()
        let outbox = Outbox(in: items.store, client: world.client(base), policy: items.policy())
        try await outbox.enqueue(HTTPRequest(.post, world.api, body: .bytes(Data("milk".utf8))))
        #expect(try await outbox.drain().failed == 1)
        let item = try #require(try await outbox.items().first)
        guard case .retrying = item.state else { throw TransportError(.malformed, "\(item.state)") }
        #expect(base.requests.isEmpty)
        #expect(try await outbox.discard(item.id)?.mayHaveArrived == false, "nothing was sent")
        try await outbox.enqueue(HTTPRequest(.post, world.api, body: .bytes(Data("bread".utf8))))
        (world.failure, world.token) = (nil, 1)
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
        var own = HTTPRequest(.post, world.api, headers: ["Idempotency-Key": "1", "Authorization": "Basic abc"])
        own.body = .bytes(Data())
        world.token = nil
        #expect(try await world.client(base).send(own).head.status == 401, "it brings its own")
    }

    @Test("does not repeat a request that changes something because of a 401 behind its redirect")
    func redirectedChange() async throws {
        let base = ScriptedHTTPClient { request in
            request.method == .post ? .answer(status: 303, headers: ["Location": "/done"]) : .answer(status: 401)
        }
        var post = HTTPRequest(.post, world.api, body: .bytes(Data("buy".utf8)))
        post.followsRedirects = true
        #expect(try await world.client(base).send(post).head.status == 401)
        #expect(base.requests.map(\.method) == [.post, .get] && world.renewals == 0)
    }

    @Test("sends a request that brings such a field of its own as it is")
    func ownField() async throws {
        let base = world.scripted()
        var request = get
        request.headers["authorization"] = "Basic abc"
        #expect(try await world.client(base).send(request).head.status == 401)
        #expect(base.requests == [request] && world.renewals == 0)
    }

    @Test("sends nothing when the app cannot give them")
    func noCredentials() async throws {
        struct Keychain: Error { let token = "token-1" }
        world.failure = Keychain()
        let base = world.scripted()
        let error = await failure { () async throws(TransportError) in try await world.client(base).send(get) }
        #expect(error == TransportError(.cannotConnect) && error?.detail == "no credentials: Keychain")
        world.failure = TransportError(.unauthorized)
        let denied = await failure { () async throws(TransportError) in try await world.client(base).send(get) }
        #expect(denied?.kind == .unauthorized && base.requests.isEmpty)
    }

    // MARK: Redirects

    @Test("Credentials with a name of their own stay at their origin, and do not come back on a way around")
    func redirects() async throws {
        let other = "https://other.example/there"
        let base = ScriptedHTTPClient { [world] request in
            if request.url.path == "/v1/notes" { return .answer(status: 302, headers: ["Location": "/v2"]) }
            if request.url.path == "/v2" { return .answer(status: 302, headers: ["Location": other]) }
            return .answer(status: 302, headers: ["Location": world.api.absoluteString])
        }
        let client = AuthenticatingClient(base, origins: [world.api]) {
            Credentials(["X-Key": "k", "Authorization": "a"], owner: "ann")
        } renew: { _ in
            nil
        }
        let response = try await client.send(get)
        #expect(response.head.status == 302)
        #expect(base.requests.map(\.url.path) == ["/v1/notes", "/v2", "/there"])
        #expect(base.requests.map { $0.headers["X-Key"] } == ["k", "k", nil])
        #expect(base.requests.map(\.token) == ["a", "a", nil])
        // The client behind follows the rest of the way by itself, without them, as often as is left.
        #expect(base.requests.map(\.followsRedirects) == [false, false, true])
        #expect(base.requests[2].limits.redirects == 3)
    }

    @Test(
        "takes no 304 for an answer behind a redirect, also of a client that knows only of its own redirects",
        arguments: ["https://other.example/there", "/v2"])
    func notModifiedElsewhere(target: String) async throws {
        let base = ScriptedHTTPClient { [world] request in
            request.url == world.api ? .answer(status: 302, headers: ["Location": target]) : .answer(status: 304)
        }
        var request = get
        request.headers["If-None-Match"] = "\"1\""
        let client = world.client(base)
        let error = await failure { () async throws(TransportError) in try await client.send(request) }
        #expect(error?.kind == .malformed && base.requests.count == 2)
    }

    @Test("follows as many redirects as the request allows, and none if it allows none")
    func redirectLimit() async throws {
        let base = ScriptedHTTPClient { _ in .answer(status: 302, headers: ["Location": "/again"]) }
        let client = AuthenticatingClient(base, origins: [world.api]) {
            .bearer("t", owner: "ann")
        } renew: { _ in
            nil
        }
        var request = get
        request.limits.redirects = 2
        let error = await failure { () async throws(TransportError) in try await client.send(request) }
        #expect(error?.kind == .tooManyRedirects && base.requests.count == 3)
        request.followsRedirects = false
        #expect(try await client.send(request).head.status == 302)
        #expect(try await client.send(HTTPRequest(.post, world.api)).head.status == 302)
        #expect(base.requests.count == 5)
    }

    // MARK: Uploads

    @Test("sends a body again from its beginning, and tells its progress again")
    func uploads() async throws {
        world.accepted = 2
        world.gate.open()
        let sent = Locked([UInt64]())
        let base = world.scripted()
        let body = HTTPBody.bytes(Data("a long text".utf8))
        let request = HTTPRequest(
            .post, world.api, headers: ["Idempotency-Key": "k"], body: body,
            onSent: { bytes in sent.withLock { $0.append(bytes) } })
        #expect(try await text(world.client(base), request) == "welcome")
        #expect(base.requests.map(\.body) == [body, body])
        #expect(base.requests.map { $0.headers["Idempotency-Key"] } == ["k", "k"])
        #expect(sent.withLock { $0 } == [11, 11])
    }

    // MARK: Secrecy

    @Test("No description, dump or error shows them")
    func secrecy() async throws {
        let credentials = Credentials.bearer("token-1", owner: "ann")
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(world.client(world.scripted()), to: &dumped)
        dumped += "\(credentials) \(String(reflecting: credentials)) \(Optional(credentials) as Any)"
        #expect(!dumped.contains("token"))
        for outcome in [LoginWorld.Renewal.isDenied, .fails(LeakyError(token: "token-1"))] {
            world.outcome = outcome
            world.accepted = 2
            world.gate.open()
            let error = await failure { () async throws(TransportError) in
                try await world.client(world.scripted()).send(get)
            }
            let told = try #require(error)
            #expect(!"\(told) \(LoadError.connectivity(told)) \(String(reflecting: told))".contains("token"))
        }
    }

    private struct LeakyError: Error, CustomStringConvertible {
        let token: String
        var description: String { token }
    }
}
