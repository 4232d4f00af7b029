import Foundation
import HTTPServer
import Testing

@Suite("Routes, conditions, ranges, files, events", .timeLimit(.minutes(10)))
struct AnswerTests {
    private func router() -> Router {
        var router = Router()
        router.on("GET", "/v1/image/:id/comments") { _, parameters in .text("comments of \(parameters["id"] ?? "?")") }
        router.on("GET", "/v1/image/:id/:part") { _, parameters in .text("part \(parameters["part"] ?? "?")") }
        router.on("PUT", "/v1/image/:id/comments") { _, _ in .text("put") }
        router.on("GET", "/files/*path") { _, parameters in .text(parameters["path"] ?? "?") }
        router.on("GET", "/") { _, _ in .text("home") }
        return router
    }

    @Test(
        "A route is found by method and path",
        arguments: [
            ("GET", "/v1/image/7/comments", 200, "comments of 7"), ("GET", "/v1/image/7/likes", 200, "part likes"),
            ("GET", "/v1/image/a%2Fb/comments", 200, "comments of a/b"), ("PUT", "/v1/image/7/comments", 200, "put"),
            ("GET", "/", 200, "home"), ("GET", "/files/a/b.txt", 200, "a/b.txt"),
            ("HEAD", "/v1/image/7/comments", 200, "comments of 7"),
            ("GET", "/v1/image//comments", 404, "not found\n"), ("GET", "/v1/image/7", 404, "not found\n"),
            ("GET", "/v1/image/7/comments/", 404, "not found\n"),
            ("DELETE", "/v1/image/7/comments", 405, "method not allowed\n"),
        ])
    func routes(method: String, target: String, status: Int, text: String) async throws {
        let response = await router().handle(ServerRequest(HTTPMethod(rawValue: method), target))
        #expect(response.status == status)
        #expect(String(decoding: try await response.collectBody(), as: UTF8.self) == text)
        if status == 405 { #expect(response.headers["Allow"] == "GET, HEAD, PUT") }
    }

    /// Writes capital letters, and a full stop at the end.
    private final class Loud: StreamEncoder {
        func encode(_ piece: Data) -> Data { Data(String(decoding: piece, as: UTF8.self).uppercased().utf8) }
        func end() -> Data { Data(".".utf8) }
    }

    @Test(
        "A stream of unknown length is encoded as it is written; one that is cut has no end", arguments: [false, true])
    func encoded(isCut: Bool) async throws {
        struct Cut: Error {}
        let server = try HTTPServer { _ in
            var response = ServerResponse(
                headers: ["Content-Encoding": "loud"],
                body: .stream(length: nil) { writer in
                    try await writer.write(Data("one ".utf8))
                    try await writer.write(Data("two".utf8))
                    if isCut { throw Cut() }
                })
            response.encoder = Loud()
            return response
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            if isCut {
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let raw = String(decoding: try client.restOfConnection(), as: UTF8.self)
                let body = raw.components(separatedBy: "\r\n\r\n").dropFirst().joined()
                #expect(body.contains("ONE ") && body.contains("TWO") && !body.contains("."), "\(raw)")
            } else {
                #expect(try client.get("/").text == "ONE TWO.")
            }
        }
        await server.stop()
    }

    @Test("A HEAD is answered by the GET route, over a socket without a body")
    func head() async throws {
        let server = try HTTPServer(handler: router().handle)
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            #expect(try client.get("/", method: "HEAD").headers["content-length"] == "4")
            #expect(try client.get("/").text == "home")
        }
        await server.stop()
    }

    @Test(
        "A range is answered as RFC 9110 has it",
        arguments: [
            (nil, 200, nil, "0123456789"), ("bytes=0-3", 206, "bytes 0-3/10", "0123"),
            ("bytes=4-", 206, "bytes 4-9/10", "456789"), ("bytes=-3", 206, "bytes 7-9/10", "789"),
            ("bytes=-99", 206, "bytes 0-9/10", "0123456789"), ("bytes=8-99", 206, "bytes 8-9/10", "89"),
            ("bytes=9-9", 206, "bytes 9-9/10", "9"), ("Bytes=0-0", 206, "bytes 0-0/10", "0"),
            ("bytes=10-", 416, "bytes */10", ""), ("bytes=-0", 416, "bytes */10", ""),
            ("bytes=99999999999999999999-", 416, "bytes */10", ""),
            ("bytes=0-99999999999999999999", 206, "bytes 0-9/10", "0123456789"),
            ("bytes=3-1", 200, nil, "0123456789"), ("bytes=0-1,3-4", 200, nil, "0123456789"),
            ("bytes=-", 200, nil, "0123456789"), ("bytes=a-b", 200, nil, "0123456789"),
            ("lines=0-1", 200, nil, "0123456789"),
        ] as [(String?, Int, String?, String)])
    func ranges(range: String?, status: Int, contentRange: String?, body: String) async throws {
        var headers = HTTPHeaders()
        headers["Range"] = range
        let response = ServerResponse.resource(
            Data("0123456789".utf8), contentType: "text/plain", for: ServerRequest("GET", "/", headers: headers))
        #expect(response.status == status)
        #expect(response.headers["Content-Range"] == contentRange)
        #expect(String(decoding: try await response.collectBody(), as: UTF8.self) == body)
    }

    @Test(
        "Conditions are honoured",
        arguments: [
            (["If-None-Match": "\"a\""], 304), (["If-None-Match": "W/\"a\""], 304), (["If-None-Match": "*"], 304),
            (["If-None-Match": "\"b\", \"a\""], 304), (["If-None-Match": "\"b\""], 200),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], 304),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], 200),
            (["If-Modified-Since": "yesterday"], 200),
            (["If-None-Match": "\"b\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], 200),
            (["Range": "bytes=0-1", "If-Range": "\"a\""], 206), (["Range": "bytes=0-1", "If-Range": "\"b\""], 200),
            (["Range": "bytes=0-1", "If-Range": "W/\"a\""], 200),
            (["Range": "bytes=0-1", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"], 206),
        ] as [([String: String], Int)])
    func conditions(headers: [String: String], status: Int) {
        let request = ServerRequest("GET", "/", headers: HTTPHeaders(headers.map { .init($0.key, $0.value) }))
        let response = ServerResponse.resource(
            Data("0123456789".utf8), contentType: "text/plain", etag: "a",
            lastModified: Date(timeIntervalSince1970: 784_111_777.5), for: request)
        #expect(response.status == status)
        #expect(response.headers["ETag"] == "\"a\"")
        #expect(response.headers["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test("Files are served with their type and tag, and nothing outside of the folder is")
    func files() async throws {
        let manager = FileManager.default
        let base = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let root = base.appendingPathComponent("public")
        try manager.createDirectory(at: root.appendingPathComponent("sub"), withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try manager.removeItem(at: base) } }
        try Data("secret".utf8).write(to: base.appendingPathComponent("secret.txt"))
        try Data("hidden".utf8).write(to: root.appendingPathComponent(".env"))
        try Data("<p>".utf8).write(to: root.appendingPathComponent("index.html"))
        try Data("let a".utf8).write(to: root.appendingPathComponent("sub/a b.mjs"))
        try manager.createSymbolicLink(
            at: root.appendingPathComponent("link.txt"), withDestinationURL: base.appendingPathComponent("secret.txt"))
        let server = try HTTPServer(handler: StaticFiles(root: root).handle)
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            let page = try client.get("/")
            #expect(page.text == "<p>")
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            let tag = try #require(page.headers["etag"])
            #expect(try client.get("/", "If-None-Match: \(tag)\r\n").status == 304)
            let module = try client.get("/sub/a%20b.mjs", "Range: bytes=4-\r\n")
            #expect(module.text == "a")
            #expect(module.headers["content-type"] == "text/javascript; charset=utf-8")
            for target in [
                "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub/../../secret.txt", "//etc/passwd",
                "/sub/..%5c..%5csecret.txt", "/.env", "/%2eenv", "/link.txt", "/sub", "/nothing", "/a%00.html",
                "/../../../../etc/passwd",
            ] {
                #expect(try client.get(target).status == 404, "\(target)")
            }
            #expect(try client.get("/", method: "DELETE").status == 405)
        }
        await server.stop()
    }

    @Test("Events are encoded so that no text can forge another field")
    func eventEncoding() async throws {
        let response = ServerSentEvents.response(clock: StoppedClock()) { send in
            try await send(event: "st\nate", data: "a\r\nb\nc", id: "7")
        }
        #expect(response.headers["Content-Type"] == "text/event-stream")
        let text = String(decoding: try await response.collectBody(), as: UTF8.self)
        #expect(text.contains("event: state\nid: 7\ndata: a\ndata: b\ndata: c\n\n"))
    }

    @Test("Events end when the client leaves, and a heartbeat is sent when the clock says so")
    func events() async throws {
        let cancelled = Event()
        let clock = StoppedClock()
        let server = try HTTPServer { _ in
            ServerSentEvents.response(heartbeat: .seconds(15), clock: clock) { send in
                try await send(event: "state", data: "one")
                await untilCancelled()
                cancelled.signal()
            }
        }
        let client = try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.read(until: "data: one\n\n")
            return client
        }
        await clock.asleep.wait()
        clock.wake.signal()
        try await onThread {
            _ = try client.read(until: ":\n\n")
            client.leave()
        }
        await cancelled.wait()
        await server.stop()
    }
}

/// Sleeps once until it is woken, then until it is cancelled.
private final class StoppedClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    let asleep = Event()
    let wake = Event()
    var now: Instant { Instant(offset: .zero) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        asleep.signal()
        if asleep.count == 1 {
            let (ended, continuation) = AsyncStream<Void>.makeStream()
            Task {
                await wake.wait()
                continuation.finish()
            }
            for await _ in ended {}
        } else {
            await untilCancelled()
        }
        try Task.checkCancellation()
    }
}
