import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Who may come in")
struct GateTests {
    private let gate = GateTests.gate()

    private static func gate(host: String = "127.0.0.1", port: UInt16 = 8080, token: String? = "secret") -> Gate {
        Gate(host: host, port: port, token: token, addresses: SignedAddresses(token: token) { Date() })
    }

    private func request(_ headers: HTTPHeaders, _ target: String = "/api/feed") -> ServerRequest {
        ServerRequest("GET", target, headers: headers)
    }

    @Test(
        "The server answers under its own names only",
        arguments: [
            ("127.0.0.1:8080", true), ("localhost:8080", true), ("LOCALHOST:8080", true), ("[::1]:8080", true),
            ("127.0.0.1", false), ("127.0.0.1:8081", false), ("evil.example:8080", false), ("", false),
            ("127.0.0.1:8080.evil.example", false),
        ])
    func hosts(host: String, admitted: Bool) {
        #expect((gate.refusal(request(["Host": host])) == nil) == admitted)
    }

    @Test("A request without a Host is refused")
    func noHost() {
        #expect(gate.refusal(request([:]))?.status == 403)
    }

    @Test(
        "Requests of other sites are refused",
        arguments: [
            ("http://127.0.0.1:8080", true), ("http://evil.example", false), ("https://127.0.0.1:8080", false),
            ("http://localhost:8080", false), ("null", false),
        ])
    func origins(origin: String, admitted: Bool) {
        #expect((gate.refusal(request(["Host": "127.0.0.1:8080", "Origin": origin])) == nil) == admitted)
    }

    @Test(
        "A proxy's address is answered with its own Origin, as browsers and proxies write it, and no other site's",
        arguments: [
            ("aquifer.example", "https://aquifer.example", true),
            ("aquifer.example:443", "https://aquifer.example", true),
            ("AQUIFER.example", "https://aquifer.EXAMPLE", true), ("aquifer.example", nil, true),
            ("intern:8000", "http://intern:8000", true), ("127.0.0.1:8080", "http://127.0.0.1:8080", true),
            ("aquifer.example", "http://aquifer.example", false), ("aquifer.example:80", nil, false),
            ("intern", "http://intern", false), ("aquifer.example", "https://evil.example", false),
            ("127.0.0.1:8080", "https://aquifer.example", false), ("evil.example", "https://aquifer.example", false),
            ("aquifer.example.evil.example", nil, false), ("aquifer.example", "null", false),
        ])
    func proxies(host: String, origin: String?, admitted: Bool) throws {
        let origins = try ["https://aquifer.example", "http://intern:8000/"].map { try #require(WebOrigin($0)) }
        let gate = Gate(
            host: "127.0.0.1", port: 8080, token: nil, addresses: SignedAddresses(token: nil) { Date() },
            origins: origins)
        var headers: HTTPHeaders = ["Host": host]
        if let origin { headers["Origin"] = origin }
        #expect((gate.refusal(request(headers)) == nil) == admitted)
    }

    @Test(
        "What is no address of a proxy is not taken for one",
        arguments: [
            "", "aquifer.example", "ftp://aquifer.example", "https://", "https://a/b", "https://a?b", "https://u@a",
            "https://*",
            "https://a:0", "https://a b", "null",
        ])
    func noOrigin(_ text: String) { #expect(WebOrigin(text) == nil) }

    @Test(
        "The API wants the token as a bearer, and takes no cookie for it",
        arguments: [
            (["Authorization": "Bearer secret"], true), (["Authorization": "bearer secret"], true), ([:], false),
            (["Cookie": "aquifer-8080=secret"], false),
            (["Cookie": "token=secret"], false), (["Authorization": "Bearer wrong!"], false),
            (["Authorization": "secret"], false), (["Authorization": "Bearer "], false),
        ] as [([String: String], Bool)])
    func token(headers: [String: String], admitted: Bool) {
        #expect(gate.admits(request(HTTPHeaders(headers.map { .init($0.key, $0.value) }))) == admitted)
        #expect(Self.gate(token: nil).admits(request([:])))
    }

    @Test("A server on another address answers under that")
    func otherHost() {
        #expect(Self.gate(host: "192.168.1.5", port: 80, token: nil).hosts == ["192.168.1.5", "192.168.1.5:80"])
    }

    @Test(
        "A server on every address answers under any address of numbers, and under no name",
        arguments: [
            ("192.168.1.5:8080", true), ("[fe80::1]:8080", true), ("localhost:8080", true), ("192.168.1.5:8081", false),
            ("evil.example:8080", false), ("1.2.3.4.evil.example:8080", false), ("192.168.1.5:8080/x", false),
        ])
    func everyAddress(host: String, admitted: Bool) {
        let gate = Self.gate(host: "0.0.0.0")
        #expect((gate.refusal(request(["Host": host])) == nil) == admitted)
    }
}
