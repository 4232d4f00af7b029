import CMicrohttpd
import Foundation
import Testing

@testable import HTTPServer

@Suite("The socket of a server")
struct ListeningSocketTests {
    @Test("has connections that hold little that is not sent, so that a slow reader never seems silent")
    func slowReaders() throws {
        let listener = try ListeningSocket(host: "127.0.0.1", port: 0)
        defer { listener.close() }
        let client = try RawClient(port: listener.port)
        var connection = accept(listener.descriptor, nil, nil)
        while connection < 0, errno == EAGAIN { connection = accept(listener.descriptor, nil, nil) }
        defer { close(connection) }
        var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        #expect(getsockopt(connection, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &value, &length) == 0)
        #expect(value == 128 << 10)
        withExtendedLifetime(client) {}
    }

    @Test(
        "A slow reader gets all of a long answer, though the system needs longer than the limit on silence for a part of it"
    )
    func longAnswers() async throws {
        let (count, piece) = (8 << 20, 64 << 10)
        let server = try HTTPServer(.init(idleTimeout: .seconds(1))) { _ in .text(String(repeating: "a", count: count))
        }
        try await onThread { [port = server.port] in
            let client = try RawClient(port: port, receiveBuffer: Int32(piece))
            try client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.read(until: "\r\n\r\n")
            // The system takes some megabytes at once. At this pace, a third of them is gone in two seconds.
            let slow = 25
            for _ in 0..<slow {
                _ = try client.read(count: piece)
                usleep(100_000)
            }
            #expect(try client.read(count: count - slow * piece).count == count - slow * piece)
        }
        await server.stop()
    }
}
