import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Who may come in")
struct GateTests {
    private let gate = Gate(host: "127.0.0.1", port: 8080, token: "secret")

    private func request(_ headers: ServerHeaders, _ target: String = "/api/feed") -> ServerRequest {
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
        "The API wants the token, from the cookie or as a bearer",
        arguments: [
            (["Cookie": "aquifer-8080=secret"], true), (["Cookie": "a=b; aquifer-8080=secret"], true),
            (["Authorization": "Bearer secret"], true), ([:], false), (["Cookie": "aquifer-8080=secre"], false),
            (["Cookie": "aquifer-8081=secret"], false), (["Authorization": "Bearer wrong!"], false),
            (["Authorization": "secret"], false),
        ] as [([String: String], Bool)])
    func token(headers: [String: String], admitted: Bool) {
        #expect(gate.admits(request(ServerHeaders(headers.map { .init($0.key, $0.value) }))) == admitted)
        #expect(Gate(host: "127.0.0.1", port: 8080, token: nil).admits(request([:])))
    }

    @Test("The printed link sets the cookie and leads to the page without the token in its address")
    func welcome() throws {
        let response = try #require(gate.welcome(request([:], "/?token=secret")))
        #expect(response.status == 303 && response.headers["Location"] == "/")
        #expect(response.headers["Set-Cookie"] == "aquifer-8080=secret; HttpOnly; SameSite=Strict; Path=/")
        #expect(gate.welcome(request([:], "/?token=wrong")) == nil)
        #expect(gate.welcome(request([:], "//evil.example/?token=secret"))?.headers["Location"] == "/")
    }

    @Test("A server on another address answers under that")
    func otherHost() {
        #expect(Gate(host: "192.168.1.5", port: 80, token: nil).hosts == ["192.168.1.5", "192.168.1.5:80"])
    }

    @Test("A server on every address answers under any address of numbers, and under no name", arguments: [
        ("192.168.1.5:8080", true), ("[fe80::1]:8080", true), ("localhost:8080", true), ("192.168.1.5:8081", false),
        ("evil.example:8080", false), ("1.2.3.4.evil.example:8080", false), ("192.168.1.5:8080/x", false),
    ])
    func everyAddress(host: String, admitted: Bool) {
        let gate = Gate(host: "0.0.0.0", port: 8080, token: "secret")
        #expect((gate.refusal(request(["Host": host])) == nil) == admitted)
    }

    @Test("Tokens are long and differ")
    func tokens() {
        let tokens = Set((0..<100).map { _ in Gate.randomToken() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.count >= 20 })
    }
}
