import Foundation
import HTTPServer
import Testing

@Suite("Serving", .timeLimit(.minutes(10)))
struct ServingTests {
    @Test("Answers many requests on one connection")
    func keepAlive() async throws {
        let server = try HTTPServer { .text("\($0.method) \($0.path) \($0.queryValue("q") ?? "-")") }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            for number in 0..<100 {
                let answer = try client.get("/a%20b/\(number)?q=1%2B1+2")
                #expect(answer.status == 200)
                #expect(answer.text == "GET /a b/\(number) 1+1 2")
                #expect(answer.headers["connection"]?.lowercased() != "close")
            }
        }
        await server.stop()
    }

    @Test("Answers pipelined requests in order, whether or not the handler suspends", arguments: [false, true])
    func pipelining(suspends: Bool) async throws {
        let server = try HTTPServer { request in
            if suspends { await Task.yield() }
            return .text(request.path)
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<20 { #expect(try client.answer().text == "/\(number)") }
        }
        await server.stop()
    }

    @Test("Passes headers and the client's address on, and a HEAD gets the length without the body")
    func headersAndHead() async throws {
        let server = try HTTPServer(.init(serverName: "Aquifer")) { request in
            .text("\(request.headers["x-THING"] ?? "none") \(request.remoteAddress)")
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            let answer = try client.get("/", "X-Thing: yes\r\n")
            #expect(answer.text == "yes 127.0.0.1")
            #expect(answer.headers["server"] == "Aquifer")
            let head = try client.get("/", "X-Thing: yes\r\n", method: "HEAD")
            #expect(head.headers["content-length"] == "13")
            #expect(try client.get("/").text == "none 127.0.0.1")
        }
        await server.stop()
    }

    @Test("An IPv6 server, a localhost server and two more serve side by side")
    func manyServers() async throws {
        let hosts = ["::1", "localhost", "127.0.0.1", "0.0.0.0"]
        let servers = try hosts.map { host in try HTTPServer(.init(host: host)) { _ in .text(host) } }
        #expect(Set(servers.map(\.port)).count >= 3)
        for (server, host) in zip(servers, hosts).dropFirst() {
            let text = try await onThread { [port = server.port] in try RawClient(port: port).get("/").text }
            #expect(text == host)
        }
        for server in servers { await server.stop() }
    }

    @Test("A port in use, and an address that is not ours, are errors that say what to do")
    func cannotListen() async throws {
        let server = try HTTPServer { _ in .empty() }
        #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: server.port)) {
            try HTTPServer(.init(port: server.port)) { _ in .empty() }
        }
        #expect(throws: ServerError.self) { try HTTPServer(.init(host: "192.0.2.1")) { _ in .empty() } }
        #expect(
            ServerError.addressInUse(host: "127.0.0.1", port: 80).description
                == "127.0.0.1:80 is in use by another program: choose another port, or 0 for any that is free")
        await server.stop()
    }

    @Test("Large bytes and slices of files arrive whole")
    func largeBodies() async throws {
        let data = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let server = try HTTPServer { request in
            switch request.path {
            case "/bytes": ServerResponse(body: .bytes(data.dropFirst(10)))
            case "/file": ServerResponse(body: .file(path: file.path, offset: 10, length: 500_000))
            default: ServerResponse(body: .file(path: "/does/not/exist", offset: 0, length: 1))
            }
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            #expect(try client.get("/bytes").body == data.dropFirst(10))
            #expect(try client.get("/file").body == data[10..<500_010])
            #expect(try client.get("/missing").status == 500)
        }
        await server.stop()
    }

    @Test("An answer keeps what it holds until its client has read it, or has left", arguments: [true, false])
    func keepsUntilSent(isRead: Bool) async throws {
        final class Kept: Sendable {
            let released: Event
            init(_ released: Event) { self.released = released }
            deinit { released.signal() }
        }
        let released = Event()
        let server = try HTTPServer { request in
            var response = ServerResponse(body: .bytes(Data(count: request.path == "/small" ? 1000 : 32 << 20)))
            response.keep(Kept(released))
            return response
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port, receiveBuffer: 64 * 1024)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            // The head is there, and most of the body is not.
            _ = try client.head()
            #expect(try RawClient(port: port).get("/small").body.count == 1000)
            #expect(released.count <= 1)
            if isRead { #expect(try client.read(count: 32 << 20).count == 32 << 20) }
        }
        await released.wait(for: 2)
        await server.stop()
    }

    @Test("A header that would forge a second answer, and an impossible status, are answered 500")
    func badAnswers() async throws {
        let server = try HTTPServer { request in
            request.path == "/header"
                ? ServerResponse(headers: ["X": "a\r\nSet-Cookie: b"]) : ServerResponse(status: 99)
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            let answer = try client.get("/header")
            #expect(answer.status == 500)
            #expect(answer.headers["set-cookie"] == nil)
            #expect(try client.get("/status").status == 500)
        }
        await server.stop()
    }

    @Test("A header without a value is left out, and the rest of the answer is sent")
    func emptyHeader() async throws {
        let server = try HTTPServer { _ in
            ServerResponse(headers: ["ETag": "", "X": "b"], body: .bytes(Data("in".utf8)))
        }
        try await onThread { [port = server.port] in
            let answer = try RawClient(port: port).get("/")
            #expect(answer.status == 200 && answer.text == "in")
            #expect(answer.headers["etag"] == nil && answer.headers["x"] == "b")
        }
        await server.stop()
    }

    @Test("A thousand connections wait at once, and all are answered")
    func manyConnections() async throws {
        let count = 1000
        let arrived = Event()
        let gate = Event()
        let server = try HTTPServer { _ in
            arrived.signal()
            await gate.wait()
            return .text("done")
        }
        let clients = try await onThread { [port = server.port] in
            try (0..<count).map { _ in
                let client = try RawClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
        }
        await arrived.wait(for: count)
        gate.signal()
        let texts = try await onThread { try clients.map { try $0.answer().text } }
        #expect(texts.allSatisfy { $0 == "done" })
        await server.stop()
    }
}
