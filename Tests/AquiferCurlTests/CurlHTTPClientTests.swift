import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferCurl

@Suite(.timeLimit(.minutes(5)))
struct CurlHTTPClientTests {
    private static func echo() throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                try connection.respond(
                    fields: [
                        "X-Host: \(request.value("Host") ?? "")", "X-Agent: \(request.value("User-Agent") ?? "")",
                    ],
                    body: Data(request.target.utf8))
            }
        }
    }

    @Test("A route leads the connection elsewhere and leaves the request as it is")
    func route() async throws {
        let server = try Self.echo()
        let client = CurlHTTPClient(
            configuration: .init(
                userAgent: "Test/1",
                route: { host, port in
                    host == "feed.aquifer.internal" && port == 80 ? ("127.0.0.1", server.port) : nil
                }))
        let url = try #require(URL(string: "http://feed.aquifer.internal/v1/feed"))
        let response = try await client.send(HTTPRequest(.get, url))
        #expect(response.head.url == url)
        #expect(response.head.headers["X-Host"] == "feed.aquifer.internal")
        #expect(response.head.headers["X-Agent"] == "Test/1")
        #expect(try await response.data(upTo: 100) == Data("/v1/feed".utf8))
    }

    @Test("Requests one after another share a connection, a redirect among them")
    func reuse() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let isFirst = request.target == "/0"
                try connection.respond(
                    status: isFirst ? "302 Found" : "200 OK", fields: isFirst ? ["Location: /end"] : [],
                    body: Data("body".utf8))
            }
        }
        let client = CurlHTTPClient()
        for number in 0..<20 {
            _ = try await client.send(HTTPRequest(.get, server.url("/\(number)"))).data(upTo: 4)
        }
        #expect(server.connections == 1)
    }

    @Test("Requests beyond the limit of connections to a host wait and are answered")
    func connectionLimit() async throws {
        let server = try Self.echo()
        let client = CurlHTTPClient(configuration: .init(maxConnectionsPerHost: 2))
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for number in 0..<50 {
                group.addTask { try await client.send(HTTPRequest(.get, server.url("/\(number)"))).data(upTo: 10) }
            }
            return try await group.reduce(into: 0) { count, _ in count += 1 }
        }
        #expect(answers == 50)
        #expect(server.connections <= 2)
    }

    @Test("A POST is never sent twice, with or without a body, when a kept connection dies", arguments: ["", "body"])
    func postIsNotRepeated(_ body: String) async throws {
        let posts = Locked(0)
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                if request.method == "POST" {
                    posts.withLock { $0 += 1 }
                    return
                }
                try connection.respond()
            }
        }
        let client = CurlHTTPClient()
        _ = try await client.send(HTTPRequest(.get, server.url())).data(upTo: 0)
        let error = await #expect(throws: TransportError.self) {
            try await client.send(HTTPRequest(.post, server.url(), body: .bytes(Data(body.utf8))))
        }
        #expect(error?.kind == .interrupted)
        #expect(posts.withLock { $0 } == 1)
    }

    @Test("A compressed answer arrives decoded, and its head speaks of no other bytes")
    func compressed() async throws {
        // 300 000 zeros, by `gzip -9`.
        let packed = try #require(Data(base64Encoded: Self.zeros))
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let accepted = request.value("Accept-Encoding") ?? ""
                try connection.respond(
                    fields: accepted.contains("gzip") ? ["Content-Encoding: gzip"] : [], body: packed)
            }
        }
        let client = CurlHTTPClient()
        let response = try await client.send(HTTPRequest(.get, server.url()))
        #expect(response.head.headers["Content-Encoding"] == nil)
        #expect(response.head.contentLength == nil)
        #expect(try await response.data(upTo: 300_000) == Data(count: 300_000))
        let slice = try await client.send(HTTPRequest(.get, server.url(), headers: ["Range": "bytes=0-"]))
        #expect(slice.head.contentLength == packed.count)
        #expect(try await slice.data(upTo: packed.count) == packed)
    }

    @Test("A field with a line break is refused before anything is sent")
    func fieldInjection() async throws {
        let server = try Self.echo()
        let client = CurlHTTPClient()
        for field in [("X-A", "1\r\nX-B: 2"), ("X-A: 1\r\nX-B", "2"), ("", "1")] {
            let error = await #expect(throws: TransportError.self) {
                try await client.send(HTTPRequest(.get, server.url(), headers: .init([.init(field.0, field.1)])))
            }
            #expect(error?.kind == .malformed)
        }
        #expect(server.connections == 0)
    }

    @Test("An answer outlives its client; the thread ends with the last of both")
    func ends() async throws {
        let server = try Self.echo()
        var client: CurlHTTPClient? = CurlHTTPClient()
        weak let loop = client?.loop
        var response = try await client?.send(HTTPRequest(.get, server.url("/late")))
        client = nil
        #expect(try await response?.data(upTo: 5) == Data("/late".utf8))
        response = nil
        await eventually { loop == nil }
    }

    private static let zeros =
        "H4sIAAAAAAACA+3BAQ0AAADCoPdPbQ8HFAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAA/Bj74rL24JMEAA=="
}
