import Aquifer
import AquiferConcurrency
import AquiferTesting
import AquiferURLSession
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLSessionHTTPClient", .serialized, .timeLimit(.minutes(10)))
struct URLSessionClientTests {
    /// Answers each request of a session with its own `X-Question`.
    private final class Echo: URLProtocol {
        override static func canInit(with request: URLRequest) -> Bool { true }
        override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func stopLoading() {}
        override func startLoading() {
            guard let url = request.url,
                let head = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                    headerFields: ["Content-Type": "application/json"])
            else { return }
            client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data((request.value(forHTTPHeaderField: "X-Question") ?? "").utf8))
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    @Test("The session has the configuration that it is given, such as the classes that stand in for a server")
    func configuration() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Echo.self]
        let client = URLSessionHTTPClient(configuration: configuration)
        let url = try #require(URL(string: "https://nobody.invalid/"))
        let response = try await client.send(HTTPRequest(.get, url, headers: ["X-Question": "who?"]))
        #expect(response.head.status == 200)
        #expect(try await response.data(upTo: 100) == Data("who?".utf8))
    }

    @Test("A 304 is no answer to a request that follows a redirect which somebody else was given")
    func notModifiedElsewhere() async throws {
        let server = try LoopbackServer.answering { connection, _ in
            try connection.respond(status: "304 Not Modified")
        }
        let head = HTTPResponseHead(status: 302, headers: ["Location": "/there"], url: server.url("/here"))
        let next = try #require(try HTTPRequest(.get, server.url("/here")).redirected(by: head))
        let client = URLSessionHTTPClient()
        let error = await failure { () async throws(TransportError) in try await client.send(next) }
        #expect(error?.kind == .malformed)
    }

    @Test("The head of a session's answer is Aquifer's, without the fields of a coding that was undone")
    func head() throws {
        let url = try #require(URL(string: "https://example.org/notes"))
        func head(_ fields: [String: String]) throws -> HTTPResponseHead {
            let response = try #require(
                HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: fields))
            return try #require(HTTPResponseHead(response))
        }
        let plain = try head(["Content-Type": "text/plain; charset=utf-8", "Content-Length": "5", "ETag": "\"1\""])
        #expect(plain.status == 203 && plain.url == url && plain.mediaType == "text/plain")
        #expect(plain.contentLength == 5 && plain.headers["etag"] == "\"1\"")
        let decoded = try head(["Content-Encoding": "gzip", "Content-Length": "5"])
        #expect(decoded.headers.fields.isEmpty)
    }

    @Test("A body with pieces of files arrives whole, and its temporary file is gone", arguments: [1, 3])
    func files(_ count: Int) async throws {
        try await Self.withFolder { folder in
            let file = folder.appending(path: "piece")
            let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try content.write(to: file)
            let before = try Self.leftovers()
            let received = Locked<[Data]>([])
            let server = try LoopbackServer { connection in
                while let request = try connection.readRequest() {
                    received.withLock { $0.append(request.body) }
                    try connection.respond()
                }
            }
            defer { server.stop() }
            let whole = HTTPBody.Part.file(file, offset: 0, length: 3_000_000)
            let slice = HTTPBody.Part.file(file, offset: 7, length: 2_000_000)
            let parts = count == 1 ? [whole] : [.bytes(Data("head".utf8)), slice, .bytes(Data("tail".utf8))]
            let expected =
                count == 1 ? content : Data("head".utf8) + content[7..<2_000_007] + Data("tail".utf8)
            let request = HTTPRequest("PUT", server.url(), body: HTTPBody(parts: parts))
            let response = try await URLSessionHTTPClient().send(request)
            _ = try await response.data(upTo: 100)
            #expect(received.withLock { $0 } == [expected])
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(await eventually { (try? Self.leftovers()) == before })
        }
    }

    @Test("A file that is too short or missing fails the request before anything is sent", arguments: [true, false])
    func wrongFiles(_ exists: Bool) async throws {
        try await Self.withFolder { folder in
            let file = folder.appending(path: "piece")
            if exists { try Data("short".utf8).write(to: file) }
            let server = try LoopbackServer { connection in _ = try connection.readRequest() }
            defer { server.stop() }
            let body = HTTPBody(parts: [.file(file, offset: 0, length: 10)])
            let error = await #expect(throws: TransportError.self) {
                try await URLSessionHTTPClient().send(HTTPRequest("PUT", server.url(), body: body))
            }
            #expect(error?.kind == .unreadableBody && server.connections == 0)
        }
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = URL.temporaryDirectory.appending(path: "aquifer-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(folder)) } catch { result = .failure(error) }
        try FileManager.default.removeItem(at: folder)
        try result.get()
    }

    private static func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: URL.temporaryDirectory.path)
            .filter { $0.hasPrefix("aquifer-upload-") }
    }
}
