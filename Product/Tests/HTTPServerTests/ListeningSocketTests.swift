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
}
