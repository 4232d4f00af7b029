import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Compressed streams", .timeLimit(.minutes(10)))
struct GzipStreamTests {
    private static let stream = ServerResponse(
        headers: ["Content-Type": "text/event-stream"],
        body: .stream(length: nil) { writer in try await writer.write(Data("state".utf8)) })

    @Test("Without zlib, or without memory, nothing is compressed, and nothing ends")
    func unavailable() {
        #expect(GzipStream(begin: { _ in -4 }) == nil)
    }

    @Test(
        "A stream is compressed for those who take gzip",
        arguments: [
            ("gzip", true), ("br, gzip;q=0.5", true), ("GZIP", true), ("gzip;q=0", false), ("gzip;\tq=0", false),
            ("br", false), ("", false),
        ])
    func accepted(coding: String, isPacked: Bool) async throws {
        let request = ServerRequest(.get, "/", headers: ["Accept-Encoding": coding])
        let answer = Gzip.streamed(Self.stream, for: request)
        #expect(answer.headers["Content-Encoding"] == (isPacked ? "gzip" : nil))
        #expect(answer.headers["Vary"] == "Accept-Encoding")
        let body = try await answer.collectBody()
        #expect(isPacked ? body.starts(with: [0x1F, 0x8B]) : body == Data("state".utf8))
    }

    @Test("What is no stream of unknown length stays as it is")
    func others() {
        let request = ServerRequest(.get, "/", headers: ["Accept-Encoding": "gzip"])
        #expect(Gzip.streamed(.text("a"), for: request).headers["Content-Encoding"] == nil)
        let known = ServerResponse(body: .stream(length: 1) { _ in })
        #expect(Gzip.streamed(known, for: request).headers["Content-Encoding"] == nil)
    }
}
