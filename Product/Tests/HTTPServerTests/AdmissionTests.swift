import AquiferConcurrency
import Foundation
import Testing

@testable import HTTPServer

@Suite("Who is let in, and who goes first", .timeLimit(.minutes(10)))
struct AdmissionTests {
    /// `GET` with `X-Known` is known, other `GET` requests are not, and nothing else is let in.
    private static let gate: ServerGate = { request in
        if request.headers["X-Known"] != nil { return .known }
        return request.method == "GET" ? .unknown : .refused(.text("no", status: 401))
    }

    @Test("A request that is refused is answered before anything of its body is read, and its connection is closed")
    func refusedBeforeItsBody() async throws {
        let handled = Event()
        let server = try HTTPServer(.init(idleTimeout: .seconds(600)), gate: Self.gate) { _ in
            handled.signal()
            return .empty()
        }
        try await onThread { [port = server.port] in
            for framing in ["Content-Length: 1000000000", "Content-Length: 10", "Transfer-Encoding: chunked"] {
                let client = try RawClient(port: port)
                // Nothing of the body is sent: a server that waits for it waits for ever.
                try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
                #expect(try client.answer().status == 401)
                #expect(try client.restOfConnection().isEmpty)
            }
        }
        #expect(handled.count == 0)
        await server.stop()
    }

    @Test("Answers that depend on the port are made once it is known, and before any request is read")
    func answersForThePort() async throws {
        let server = try HTTPServer.listening { port in
            HTTPServer.Answers(
                gate: { $0.headers["Host"] == "localhost:\(port)" ? .known : .refused(.text("no", status: 403)) },
                handler: { _ in .text("\(port)") })
        }
        try await onThread { [port = server.port] in
            for (host, status) in [("localhost:\(port)", 200), ("localhost", 403)] {
                let client = try RawClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try client.answer().status == status)
            }
        }
        await server.stop()
    }

    @Test(
        "A request that the server or its library refuses is told with its status, and with its head if that could be read",
        arguments: [
            ("GET / HTTP/3.7\r\n\r\n", 505, nil),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, nil),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 9_000))\r\n\r\n", 431, nil),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", 431, nil),
            ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n", 413, "POST /a"),
            ("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n01234567890", 413, "POST /b"),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n", 413, nil),
        ])
    func refusedByTheServer(bytes: String, status: Int, head: String?) async throws {
        let told = Locked<[String]>([])
        let server = try HTTPServer.listening(.init(maxBodyBytes: 10)) { _ in
            HTTPServer.Answers(
                gate: Self.gate,
                refused: { request, response in
                    let name = request.map { "\($0.method.rawValue) \($0.rawPath)" } ?? "unread"
                    told.withLock { $0.append("\(response.status) \(name)") }
                    var response = response
                    response.headers["X-Told"] = "yes"
                    return response
                }, handler: { _ in .empty() })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send(bytes.replacing("Host: a", with: "X-Known: a\r\nHost: a"))
            let answer = try client.answer()
            #expect(answer.status == status)
            if head != nil { #expect(answer.headers["x-told"] == "yes") }
        }
        await server.stop()
        #expect(told.withLock(\.self) == ["\(status) \(head ?? "unread")"])
    }

    @Test("What the gate refuses is the gate's to tell, and is told once")
    func refusedByTheGate() async throws {
        let told = Event()
        let server = try HTTPServer.listening(.init()) { _ in
            HTTPServer.Answers(
                gate: Self.gate,
                refused: {
                    told.signal()
                    return $1
                }, handler: { _ in .empty() })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.answer().status == 401)
        }
        await server.stop()
        #expect(told.count == 0)
    }

    @Test("A refused client that waits for permission to send its body is not given it")
    func noContinue() async throws {
        let server = try HTTPServer(gate: Self.gate) { _ in .empty() }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.head().status == 401)
        }
        await server.stop()
    }

    @Test("Nothing of the body of somebody who is not known is taken before the handler reads it, and then all of it")
    func waitsForItsReader() async throws {
        let size = 300_000
        let (read, taken, count) = (Event(), Locked<Int?>(nil), Locked(0))
        let server = try HTTPServer(.init(threads: 1), gate: { _ in .unknown }) { request in
            guard request.method == "POST" else { return .empty() }
            await read.wait()
            if case .upload(let exchange) = request.body.source {
                taken.withLock { $0 = exchange.locked { $0.upload.received } }
            }
            do {
                for try await piece in request.body { count.withLock { $0 += piece.count } }
            } catch { return .empty(400) }
            return .empty()
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"
            try client.send(Data(head.utf8) + Data(repeating: 1, count: size))
            // The only thread of the network looks at all connections in turn: with each of these requests it could take a piece more.
            let other = try RawClient(port: port)
            for _ in 0..<100 { #expect(try other.get("/").status == 204) }
            read.signal()
            #expect(try client.answer().status == 204)
        }
        await server.stop()
        #expect(taken.withLock(\.self) == 0)
        #expect(count.withLock(\.self) == size)
    }

    @Test(
        "Somebody who is not known and sends on after the refusal is soon cut; one who is known is heard to the end",
        arguments: [(false, 60_000, true), (true, 1_000_000, true), (false, 64 << 20, false)])
    func sendsOnAfterTheRefusal(isKnown: Bool, size: Int, isAnswered: Bool) async throws {
        let server = try HTTPServer(.init(maxBodyBytes: 64 << 20), gate: { _ in isKnown ? .known : .unknown }) { _ in
            .text("no", status: 401)
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            if isAnswered {
                try client.send(Data(repeating: 1, count: size))
                #expect(try client.answer().status == 401)
            } else {
                #expect(throws: RawClient.Failure.self) {
                    for _ in 0..<(size >> 20) { try client.send(Data(repeating: 1, count: 1 << 20)) }
                }
            }
        }
        await server.stop()
    }

    @Test("A body that comes too slowly is cut, however steadily it comes")
    func slowBody() async throws {
        let cut = Event()
        let configuration = HTTPServer.Configuration(
            idleTimeout: .seconds(600), bodyTimeout: .milliseconds(50), leastBodyRate: 1_000_000_000)
        let server = try HTTPServer(configuration) { request in
            do { _ = try await request.body.collect(upTo: .max) } catch { cut.signal() }
            return .empty()
        }
        for framing in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
            try await onThread { [port = server.port] in
                let client = try RawClient(port: port)
                try client.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
                #expect(throws: RawClient.Failure.self) {
                    // Single bytes are sent far below the rate that is asked for.
                    while true { try client.send(framing.hasPrefix("C") ? "x" : "1\r\nx\r\n") }
                }
            }
        }
        await cut.wait(for: 2)
        await server.stop()
    }

    @Test("At the bound, connections that have shown nothing make room, the oldest first; known ones stay")
    func firstToGo() async throws {
        let server = try HTTPServer(.init(maxConnections: 8, descriptorShare: 1), gate: Self.gate) { .text($0.path) }
        try await onThread { [port = server.port] in
            let known = try (0..<4).map { number in
                let client = try RawClient(port: port)
                #expect(try client.get("/\(number)", "X-Known: yes\r\n").status == 200)
                return client
            }
            // These clients are silent, some amid a head: many times the number that there is room for.
            let silent = try (0..<40).map { number in
                let client = try RawClient(port: port)
                if number % 2 == 0 { try client.send("GET / HTTP/1.1\r\nHost:") }
                return client
            }
            for _ in 0..<20 { #expect(try RawClient(port: port).get("/", "X-Known: yes\r\n").status == 200) }
            for (number, client) in known.enumerated() {
                #expect(try client.get("/again\(number)", "X-Known: yes\r\n").text == "/again\(number)")
            }
            // The first of them was cut; it was not merely left alone.
            #expect(try silent[0].restOfConnection().isEmpty)
        }
        await server.stop()
    }

    @Test("Where all are known, one more is told that there are too many")
    func allKnown() async throws {
        let server = try HTTPServer(.init(maxConnections: 3, descriptorShare: 1), gate: Self.gate) { _ in .empty() }
        try await onThread { [port = server.port] in
            let known = try (0..<3).map { _ in
                let client = try RawClient(port: port)
                #expect(try client.get("/", "X-Known: yes\r\n").status == 204)
                return client
            }
            #expect(try RawClient(port: port).get("/", "X-Known: yes\r\n").status == 503)
            #expect(try known[0].get("/", "X-Known: yes\r\n").status == 204)
        }
        await server.stop()
    }

    @Test("A process that serves raises its limit on open files as far as it may, and never lowers it")
    func descriptors() throws {
        #expect(DescriptorLimit.current >= 64)
        #expect(DescriptorLimit.raise() >= DescriptorLimit.current)
        #expect(DescriptorLimit.raise() == DescriptorLimit.current)
    }
}
