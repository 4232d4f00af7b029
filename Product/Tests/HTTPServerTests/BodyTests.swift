import Foundation
import HTTPServer
import Testing

@Suite("Bodies and limits", .timeLimit(.minutes(10)))
struct BodyTests {
    @Test("An upload arrives whole, announced or chunked")
    func uploads() async throws {
        let server = try HTTPServer { request in
            do {
                return ServerResponse(body: .bytes(try await request.body.collect(upTo: 1 << 20)))
            } catch { return .text("\(error)", status: 400) }
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(data.count)\r\n\r\n")
            try client.send(data)
            #expect(try client.answer().body == data)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            try client.send("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")
            #expect(try client.answer().text == "hello world")
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.head().status == 100)
            try client.send("later")
            #expect(try client.answer().text == "later")
        }
        await server.stop()
    }

    @Test("A client is held back while its upload is not read, however large it is")
    func uploadBackPressure() async throws {
        let size = 64 << 20
        let gate = Event()
        let server = try HTTPServer(.init(maxBodyBytes: size)) { request in
            await gate.wait()
            var (total, largest) = (0, 0)
            do {
                for try await chunk in request.body {
                    total += chunk.count
                    largest = max(largest, chunk.count)
                }
            } catch { return .text("\(error)", status: 400) }
            return .text("\(total) \(largest <= 300 * 1024)")
        }
        let sent = Event()
        async let text = onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            for number in 0..<64 {
                // The system's buffers take some; the whole upload must not fit before anybody reads.
                if number == 1 { gate.signal() }
                try client.send(Data(repeating: 1, count: 1 << 20))
                sent.signal()
            }
            return try client.answer().text
        }
        #expect(try await text == "\(size) true")
        await server.stop()
    }

    @Test("A writer is held back while its client does not read")
    func streamBackPressure() async throws {
        let pieces = 150
        let written = Event()
        let server = try HTTPServer { _ in
            ServerResponse(
                body: .stream(length: UInt64(pieces * 100_000)) { writer in
                    for number in 0..<pieces {
                        try await writer.write(Data(repeating: UInt8(truncatingIfNeeded: number), count: 100_000))
                        written.signal()
                    }
                })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port, receiveBuffer: 64 * 1024)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try client.head()
            #expect(head.headers["content-length"] == "\(pieces * 100_000)")
            // The head is there, the body mostly is not: more than the system's buffers hold has yet to be written.
            let count = written.count
            #expect(count < pieces)
            let body = try client.read(count: pieces * 100_000)
            #expect(body.enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: $0 / 100_000) })
        }
        await server.stop()
    }

    @Test("A stream of unknown length ends cleanly; one that throws or falls short is cut")
    func cuts() async throws {
        struct Fault: Error {}
        // An idle time-out longer than the client's patience: a cut must not wait for it.
        let server = try HTTPServer(.init(idleTimeout: .seconds(600))) { request in
            let length: UInt64? = request.path == "/short" ? 10 : nil
            return ServerResponse(
                body: .stream(length: length) { writer in
                    try await writer.write(Data("part".utf8))
                    if request.path == "/cut" { throw Fault() }
                })
        }
        try await onThread { [port = server.port] in
            let whole = try RawClient(port: port).get("/whole")
            #expect(whole.text == "part")
            for path in ["/cut", "/short"] {
                #expect(throws: RawClient.Failure.ended) { try RawClient(port: port).get(path) }
            }
        }
        await server.stop()
    }

    @Test("A writer that goes past the announced length is told so, and the client gets what was announced")
    func tooLong() async throws {
        let told = Event()
        let server = try HTTPServer { _ in
            ServerResponse(
                body: .stream(length: 4) { writer in
                    try await writer.write(Data("part".utf8))
                    await #expect(throws: ServerStreamError.tooLong(announced: 4)) {
                        try await writer.write(Data("more".utf8))
                    }
                    told.signal()
                })
        }
        let text = try await onThread { [port = server.port] in try RawClient(port: port).get("/").text }
        #expect(text == "part")
        await told.wait()
        await server.stop()
    }

    @Test("A dropped request gets no byte", arguments: [false, true])
    func drop(suspends: Bool) async throws {
        let server = try HTTPServer { _ in
            if suspends { await Task.yield() }
            return .drop
        }
        let all = try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return try client.restOfConnection()
        }
        #expect(all.isEmpty)
        await server.stop()
    }

    @Test("A path of its own limit takes larger bodies than the others, and the longest prefix decides")
    func limitsByPath() async throws {
        let server = try HTTPServer(
            .init(maxBodyBytes: 10, maxBodyBytesByPath: ["/large": 1000, "/large/but": 20])
        ) { request in
            do { return .text("\(try await request.body.collect(upTo: .max).count)") } catch { return .empty(500) }
        }
        try await onThread { [port = server.port] in
            for (path, size, status) in [
                ("/", 10, 200), ("/", 11, 413), ("/large", 1000, 200), ("/large/", 1001, 413), ("/large/but", 20, 200),
                ("/large/but", 21, 413),
            ] {
                let client = try RawClient(port: port)
                try client.send("PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
                try client.send(Data(repeating: 1, count: size))
                #expect(try client.answer().status == status, "\(size) bytes to \(path)")
            }
        }
        await server.stop()
    }

    @Test("A head past the limit is answered 431, an announced or chunked body past it 413")
    func sizes() async throws {
        let server = try HTTPServer(.init(maxHeaderBytes: 2000, maxBodyBytes: 1000)) { request in
            do {
                return .text("\(try await request.body.collect(upTo: .max).count)")
            } catch { return .text("not what the client gets") }
        }
        try await onThread { [port = server.port] in
            let long = "X: " + String(repeating: "y", count: 3000) + "\r\n"
            #expect(try RawClient(port: port).get("/", long).status == 431)
            let huge = "X: " + String(repeating: "y", count: 100_000) + "\r\n"
            #expect(try RawClient(port: port).get("/", huge).status == 431)
            let client = try RawClient(port: port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
            try client.send(Data(repeating: 1, count: 1000))
            #expect(try client.answer().text == "1000")
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n")
            try client.send(Data(repeating: 1, count: 1001))
            #expect(try client.answer().status == 413)
            let chunked = try RawClient(port: port)
            try chunked.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<3 { try chunked.send("190\r\n" + String(repeating: "z", count: 400) + "\r\n") }
            try chunked.send("0\r\n\r\n")
            #expect(try chunked.answer().status == 413)
            let announced = try RawClient(port: port)
            try announced.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
            #expect(try announced.answer().status == 413)
        }
        await server.stop()
    }

    @Test("Clients past the limit of connections are answered 503")
    func connections() async throws {
        let server = try HTTPServer(.init(maxConnections: 2)) { _ in .text("in") }
        try await onThread { [port = server.port] in
            let clients = try (0..<2).map { _ in try RawClient(port: port) }
            for client in clients { #expect(try client.get("/").status == 200) }
            #expect(try RawClient(port: port).get("/").status == 503)
            for client in clients { #expect(try client.get("/").status == 200) }
        }
        await server.stop()
    }

    @Test("A connection that says nothing, and one that sends its head byte by byte, are closed")
    func slowRequests() async throws {
        let idle = try HTTPServer(.init(idleTimeout: .seconds(1))) { _ in .text("in") }
        let patient = try HTTPServer(.init(headTimeout: .milliseconds(100))) { _ in .text("in") }
        try await onThread { [port = idle.port] in
            let client = try RawClient(port: port)
            #expect(try client.get("/").status == 200)
            #expect(try client.restOfConnection().isEmpty)
        }
        try await onThread { [port = patient.port] in
            let client = try RawClient(port: port)
            #expect(throws: RawClient.Failure.self) {
                try client.send("GET / HTTP/1.1\r\n")
                while true {
                    try client.send("X: y\r\n")
                    usleep(5000)
                }
            }
        }
        await idle.stop()
        await patient.stop()
    }

    @Test(
        "Malformed requests never reach the handler, and the server goes on",
        arguments: [
            "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        ])
    func malformed(request: String) async throws {
        let server = try HTTPServer { request in
            do { _ = try await request.body.collect(upTo: 100) } catch { return .text("cut", status: 400) }
            return .text("in")
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send(request + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let first = String(decoding: try client.restOfConnection().prefix(15), as: UTF8.self)
            #expect(!first.hasPrefix("HTTP/1.1 200"))
            #expect(try RawClient(port: port).get("/").text == "in")
        }
        await server.stop()
    }
}
