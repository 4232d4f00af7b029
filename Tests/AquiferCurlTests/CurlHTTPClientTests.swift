import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferCurl

@Suite(.timeLimit(.minutes(10)))
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
            let response = try await client.send(HTTPRequest(.get, server.url("/\(number)")))
            #expect(response.head.status == 200 && response.head.url.path == (number == 0 ? "/end" : "/\(number)"))
            #expect(try await response.data(upTo: 4) == Data("body".utf8))
        }
        #expect(server.connections == 1)
    }

    @Test(
        "The reader of a head is woken once, when the body and the end that came with it are there",
        arguments: [true, false])
    func wokenOnce(endsWell: Bool) async throws {
        let url = try #require(URL(string: "http://server.example/"))
        let transfer = Transfer(HTTPRequest(.get, url), route: nil, owner: LoopOwner(.init()))
        let end: Result<Void, TransportError> = endsWell ? .success(()) : .failure(TransportError(.interrupted, "cut"))
        let head = await withCheckedContinuation { waiter in
            transfer.headWaiter = waiter
            for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
                #expect(Array(line.utf8).withUnsafeBytes { transfer.received(headerLine: $0) })
            }
            #expect(Array("body".utf8).withUnsafeBytes { transfer.received(body: $0) } == 4)
            transfer.finish(end)
            #expect(transfer.headWaiter != nil)
            transfer.deliverHead()
        }
        #expect(try head.get().status == 200)
        #expect(try await transfer.next() == Data("body".utf8))
        if endsWell {
            #expect(try await transfer.next() == nil)
        } else {
            await #expect(throws: TransportError.self) { try await transfer.next() }
        }
    }

    @Test("Requests beyond the limit of connections to a host wait and are answered")
    func connectionLimit() async throws {
        let server = try Self.echo()
        let client = CurlHTTPClient(configuration: .init(maxConnectionsPerHost: 2))
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for number in 0..<50 {
                group.addTask { try await client.send(HTTPRequest(.get, server.url("/\(number)"))).data(upTo: 10) }
            }
            return try await group.reduce(into: Set()) { $0.insert(String(decoding: $1, as: UTF8.self)) }
        }
        #expect(answers == Set((0..<50).map { "/\($0)" }))
        #expect(server.connections <= 2)
    }

    @Test("The wait for a free connection is a wait for a connection, and ends with its limit")
    func waitForConnection() async throws {
        // It takes a request, and never answers.
        let server = try LoopbackServer { connection in while try connection.readRequest() != nil {} }
        let client = CurlHTTPClient(configuration: .init(maxConnectionsPerHost: 1))
        let holder = Task { try await client.send(HTTPRequest(.get, server.url("/held"))) }
        #expect(await eventually { server.connections == 1 })
        let request = HTTPRequest(.get, server.url("/2"), limits: .init(connect: .milliseconds(200)))
        do throws(TransportError) {
            _ = try await client.send(request)
            Issue.record("it got a connection")
        } catch { #expect(error.kind == .cannotConnect) }
        #expect(server.connections == 1)
        holder.cancel()
    }

    @Test(
        "A request for which there was no connection was not sent, however its failure came",
        arguments: ["CONNECT refused", "CONNECT cut", "handshake cut", "handshake silent"])
    func noConnection(_ fault: String) async throws {
        // curl reads the environment for each request.
        await #expect(processExitsWith: .success) { [fault] in
            let server = try LoopbackServer { connection in
                guard let request = try connection.readRequest(), request.method == "CONNECT" else { return }
                switch fault {
                case "CONNECT refused": try connection.send("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
                case "CONNECT cut": return
                case "handshake cut":
                    try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                    _ = try connection.readBytes()
                default:
                    try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                    _ = connection.waitForClose()
                }
            }
            setenv("https_proxy", server.url().absoluteString, 1)
            let url = try #require(URL(string: "https://elsewhere.example/"))
            let limits = HTTPRequest.Limits(connect: .milliseconds(500))
            let request = HTTPRequest(.post, url, body: .bytes(Data("x".utf8)), limits: limits)
            do throws(TransportError) {
                _ = try await CurlHTTPClient().send(request)
                Issue.record("it was answered")
            } catch { #expect(error.kind.precedesSending, "\(error)") }
        }
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

    @Test("An answer outlives its client; the thread ends with the last of both")
    func ends() async throws {
        let server = try Self.echo()
        var client: CurlHTTPClient? = CurlHTTPClient()
        weak let loop = client?.loop
        var response = try await client?.send(HTTPRequest(.get, server.url("/late")))
        client = nil
        #expect(try await response?.data(upTo: 5) == Data("/late".utf8))
        response = nil
        #expect(await eventually { loop == nil })
    }

    @Test("A long body is sent without asking whether it may be")
    func noExpectation() async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.respond(status: request.value("Expect") == nil ? "200 OK" : "417 Expectation Failed")
        }
        let body = HTTPBody.bytes(Data(count: 3 << 20))
        let response = try await CurlHTTPClient().send(HTTPRequest(.post, server.url(), body: body))
        #expect(response.head.status == 200)
    }

    @Test("A head that is too long is told as that, and ends the transfer")
    func longHead() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n")
            for _ in 0..<20 { try connection.send("X-Long: \(String(repeating: "x", count: 100))\r\n") }
            try connection.send("Content-Length: 0\r\n\r\n")
        }
        var request = HTTPRequest(.get, server.url())
        request.limits.headerBytes = 1000
        let error = await #expect(throws: TransportError.self) { try await CurlHTTPClient().send(request) }
        #expect(error?.kind == .headersTooLarge)
    }

    @Test("Who is cancelled is given no more bytes, though some are there")
    func cancelledReader() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(String(repeating: "x", count: 100))")
            _ = connection.waitForClose()
        }
        let client = CurlHTTPClient()
        for _ in 0..<20 {
            let response = try await client.send(HTTPRequest(.get, server.url()))
            let reading = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await response.body.next()
            }
            let error = await #expect(throws: TransportError.self) { try await reading.value }
            #expect(error?.kind == .cancelled)
        }
    }

    #if os(Linux)
        @Test("An address that the system knows no way to is told as being offline")
        func unreachable() async throws {
            // TCP to a group of hosts is refused by Linux itself as unreachable.
            let url = try #require(URL(string: "http://224.0.0.1:9/"))
            let error = await #expect(throws: TransportError.self) {
                try await CurlHTTPClient().send(HTTPRequest(.get, url))
            }
            #expect(error?.kind == .offline)
        }
    #endif

    @Test(
        "No request is answered by what a server has sent unasked before",
        arguments: [HTTPMethod.get, "HEAD", "OPTIONS", .post, .put, .delete])
    func unasked(_ method: HTTPMethod) async throws {
        let server = UnaskedServer()
        let client = CurlHTTPClient()
        let (loopback, received) = (try server.start(), server.received)
        let first = try await client.send(HTTPRequest(.get, loopback.url("/1")))
        server.isHeadRead.withLock { $0 = true }
        #expect(try await first.data(upTo: 100) == Data("first".utf8))
        let body = ["HEAD", .get, .delete].contains(method) ? nil : HTTPBody.bytes(Data("mine".utf8))
        let response = try await client.send(HTTPRequest(method, loopback.url("/2"), body: body))
        #expect(response.head.headers["Content-Length"] == "6")
        #expect(try await response.data(upTo: 100) == Data((method == "HEAD" ? "" : "second").utf8))
        #expect(received.withLock { $0 } == ["/2 \(body == nil ? "" : "mine")"])
        #expect(loopback.connections == 2)
    }

    @Test("Nor is one that waits for the connection on which it comes")
    func unaskedForQueued() async throws {
        let server = UnaskedServer()
        let client = CurlHTTPClient(configuration: .init(maxConnectionsPerHost: 1))
        let loopback = try server.start()
        let first = try await client.send(HTTPRequest(.get, loopback.url("/1")))
        async let second = client.send(HTTPRequest(.get, loopback.url("/2"))).data(upTo: 100)
        #expect(await eventually { client.loop.transfersInFlight == 2 })
        server.isHeadRead.withLock { $0 = true }
        #expect(try await first.data(upTo: 100) == Data("first".utf8))
        #expect(try await second == Data("second".utf8))
        #expect(loopback.connections == 2)
    }

    @Test("An answer that comes before its request is sent leaves nothing for the next one")
    func answeredEarly() async throws {
        let server = try LoopbackServer { connection in
            guard let bytes = try connection.readBytes() else { return }
            if bytes.starts(with: Data("PUT".utf8)) {
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly")
                while try connection.readBytes() != nil {}
            } else {
                try connection.respond(body: Data("next".utf8))
            }
        }
        let client = CurlHTTPClient()
        let put = HTTPRequest(.put, server.url("/1"), body: .bytes(Data(count: 20 << 20)))
        _ = try await client.send(put).data(upTo: 100)
        let answer = try await client.send(HTTPRequest(.get, server.url("/2"))).data(upTo: 100)
        #expect(String(decoding: answer, as: UTF8.self) == "next")
    }
}

/// Answers "/1" twice: with "first", and unasked. The second answer comes in one piece with the first one's body, once the first one's head is read.
private struct UnaskedServer: Sendable {
    let isHeadRead = Locked(false)
    let received = Locked<[String]>([])

    func start() throws -> LoopbackServer {
        try LoopbackServer { [self] connection in
            while let request = try connection.readRequest() {
                if request.target == "/1" {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                    while !isHeadRead.withLock({ $0 }) { sched_yield() }
                    try connection.send("firstHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nidle")
                } else {
                    let body = String(decoding: request.body, as: UTF8.self)
                    received.withLock { $0.append("\(request.target) \(body)") }
                    try connection.respond(body: Data("second".utf8))
                }
            }
        }
    }
}
