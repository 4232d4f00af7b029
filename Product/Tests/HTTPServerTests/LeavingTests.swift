import AquiferTesting
import Foundation
import HTTPServer
import Testing

@Suite("Clients that leave, and servers that stop", .serialized, .timeLimit(.minutes(10)))
struct LeavingTests {
    @Test("A client that leaves while its request waits cancels the task")
    func waitingTaskIsCancelled() async throws {
        let (started, cancelled) = (Event(), Event())
        let server = try HTTPServer { _ in
            started.signal()
            await untilCancelled()
            cancelled.signal()
            return .empty()
        }
        for number in 1...50 {
            let client = try await onThread { [port = server.port] in
                let client = try RawClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client
            }
            await started.wait(for: number)
            client.leave()
            await cancelled.wait(for: number)
        }
        await server.stop()
    }

    @Test("A client that leaves cancels a stream that is waiting to produce more")
    func idleStreamIsCancelled() async throws {
        let cancelled = Event()
        let server = try HTTPServer { _ in
            ServerResponse(
                body: .stream(length: nil) { writer in
                    try await writer.write(Data("first".utf8))
                    await untilCancelled()
                    cancelled.signal()
                    await #expect(throws: ServerStreamError.closed) { try await writer.write(Data("second".utf8)) }
                    cancelled.signal()
                })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.read(until: "first")
            client.leave()
        }
        await cancelled.wait(for: 2)
        await server.stop()
    }

    @Test("A client that leaves ends a stream that is being written as fast as it goes")
    func busyStreamIsCancelled() async throws {
        let ended = Event()
        let server = try HTTPServer { _ in
            ServerResponse(
                body: .stream(length: nil) { writer in
                    defer { ended.signal() }
                    while true { try await writer.write(Data(repeating: 1, count: 50_000)) }
                })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            for _ in 0..<10 { _ = try client.receive() }
            client.leave()
        }
        await ended.wait()
        await server.stop()
    }

    @Test(
        "A stream whose answer could not be sent is told so: nothing that it writes is kept",
        arguments: [
            ServerResponse(headers: ["X": "a\r\nb"]), ServerResponse(status: 99), ServerResponse(status: 1000),
        ])
    func unsentAnswer(head: ServerResponse) async throws {
        let (cancelled, told) = (Event(), Event())
        let server = try HTTPServer { request in
            guard request.path != "/next" else { return .text("next") }
            var response = head
            response.body = .stream(length: nil) { writer in
                if request.path == "/silent" {
                    await untilCancelled()
                    cancelled.signal()
                }
                // A server that keeps everything takes all of it.
                for _ in 0..<200 {
                    do throws(ServerStreamError) { try await writer.write(Data(repeating: 1, count: 50_000)) } catch {
                        #expect(error == .closed)
                        return told.signal()
                    }
                }
                Issue.record("the stream was never told")
                told.signal()
            }
            return response
        }
        try await onThread { [port = server.port] in
            for path in ["/busy", "/silent"] {
                let client = try RawClient(port: port)
                #expect(try client.get(path).status == 500)
                #expect(try client.get("/next").text == "next")
            }
        }
        await cancelled.wait()
        await told.wait(for: 2)
        await server.stop()
    }

    @Test("A stream that has written all that it announced is not cancelled, however long it still works")
    func wholeStreamGoesOn() async throws {
        let (next, ended) = (Event(), Event())
        let server = try HTTPServer { request in
            guard request.path != "/next" else { return .text("next") }
            return ServerResponse(
                body: .stream(length: 4) { writer in
                    try await writer.write(Data("part".utf8))
                    await next.wait()
                    #expect(!Task.isCancelled)
                    ended.signal()
                })
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            #expect(try client.get("/").text == "part")
            // The connection takes another request only after the first one has ended.
            #expect(try client.get("/next").text == "next")
        }
        next.signal()
        await ended.wait()
        await server.stop()
    }

    @Test("A body whose next piece cannot be read ends for the handler that waits for it")
    func brokenBody() async throws {
        let (first, thrown) = (Event(), Event())
        let server = try HTTPServer { request in
            do {
                for try await _ in request.body { first.signal() }
            } catch { thrown.signal() }
            return .empty()
        }
        let client = try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            return client
        }
        await first.wait()
        try await onThread {
            try client.send("zz\r\n\r\n")
            let rest = String(decoding: try client.restOfConnection(), as: UTF8.self)
            #expect(!rest.hasPrefix("HTTP/1.1 2"), "\(rest)")
        }
        await thrown.wait()
        await server.stop()
    }

    @Test("A client that leaves amid its upload makes the body throw")
    func uploadIsCutOff() async throws {
        let (first, thrown) = (Event(), Event())
        let server = try HTTPServer { request in
            do {
                for try await _ in request.body { first.signal() }
            } catch { thrown.signal() }
            return .empty()
        }
        let client = try await onThread { [port = server.port] in
            let client = try RawClient(port: port)
            try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf")
            return client
        }
        await first.wait()
        client.leave()
        await thrown.wait()
        await server.stop()
    }

    @Test("Stopping with requests in flight cuts them, cancels their tasks and never aborts, 200 times")
    func stopInFlight() async throws {
        for _ in 0..<200 {
            let (started, cancelled) = (Event(), Event())
            let server = try HTTPServer { request in
                if request.path == "/stream" {
                    return ServerResponse(
                        body: .stream(length: nil) { _ in
                            started.signal()
                            await untilCancelled()
                            cancelled.signal()
                        })
                }
                started.signal()
                await untilCancelled()
                cancelled.signal()
                return .empty()
            }
            let clients = try await onThread { [port = server.port] in
                try ["/wait", "/stream", "/wait"].map { path in
                    let client = try RawClient(port: port)
                    try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client
                }
            }
            await started.wait(for: 3)
            await server.stop(grace: .zero)
            #expect(cancelled.count == 3)
            try await onThread { for client in clients { _ = try client.restOfConnection() } }
        }
    }

    @Test("Stopping lets a request under way end within its grace, and refuses what comes after")
    func gracefulStop() async throws {
        let (started, gate) = (Event(), Event())
        let server = try HTTPServer { request in
            guard request.path == "/under-way" else { return .empty() }
            started.signal()
            await gate.wait()
            return .text("whole")
        }
        let port = server.port
        let client = try await onThread {
            let client = try RawClient(port: port)
            try client.send("GET /under-way HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        await started.wait()
        async let stopped: Void = server.stop(grace: .seconds(30))
        // Requests are answered until a refused connection shows that the stop has begun.
        try await onThread { while (try? RawClient(port: port).get("/")) != nil {} }
        gate.signal()
        let text = try await onThread { try client.answer().text }
        #expect(text == "whole")
        await stopped
        await server.stop()
        let again = try HTTPServer(.init(port: port)) { _ in .text("again") }
        let anew = try await onThread { try RawClient(port: port).get("/").text }
        #expect(anew == "again")
        await again.stop()
    }

    @Test("A server that is let go stops by itself")
    func letGo() async throws {
        let (started, cancelled) = (Event(), Event())
        var server: HTTPServer? = try HTTPServer { _ in
            started.signal()
            await untilCancelled()
            cancelled.signal()
            return .empty()
        }
        let port = try #require(server?.port)
        let client = try await onThread {
            let client = try RawClient(port: port)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        await started.wait()
        server = nil
        await cancelled.wait()
        _ = try await onThread { try client.restOfConnection() }
    }

    @Test("Two thousand clients that leave at random moments do the server no harm")
    func storm() async throws {
        let server = try HTTPServer { request in
            if request.path == "/slow" { for _ in 0..<20 { await Task.yield() } }
            if request.path == "/stream" {
                return ServerResponse(
                    body: .stream(length: nil) { writer in
                        for _ in 0..<50 { try await writer.write(Data(repeating: 2, count: 4000)) }
                    })
            }
            do {
                return .text("\(try await request.body.collect(upTo: 1 << 20).count)")
            } catch { return .empty(400) }
        }
        let port = server.port
        let requests = [
            "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n", "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
            "PUT /fast HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2000),
            "PUT /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    try await onThread {
                        var random = SeededNumbers(seed: UInt64(seed))
                        for _ in 0..<250 {
                            let request = requests[Int(random.next() % UInt64(requests.count))]
                            let client = try RawClient(port: port)
                            try client.send(String(request.prefix(Int(random.next() % UInt64(request.count + 1)))))
                            if random.next() % 3 == 0, request.hasPrefix("GET /stream") { usleep(200) }
                            client.leave()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let text = try await onThread { try RawClient(port: port).get("/fast").text }
        #expect(text == "0")
        await server.stop()
    }
}
