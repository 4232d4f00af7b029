import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferCurl

@Suite("Compressed answers", .timeLimit(.minutes(10)))
struct CompressedBodyTests {
    private static let packed = GzippedZeros.packed

    /// All that comes of some compressed bytes, handed over in pieces of this size.
    private func inflate(_ bytes: Data, piece: Int) throws -> Data {
        let inflater = try #require(Inflater())
        var all = Data()
        for start in stride(from: 0, to: bytes.count, by: piece) {
            inflater.add(bytes[start..<min(bytes.count, start + piece)])
            while let piece = try inflater.next() {
                #expect(!piece.isEmpty && piece.count <= Inflater.pieceSize)
                all += piece
            }
        }
        try inflater.finish()
        return all
    }

    @Test("Without memory nothing is decoded, and nothing ends")
    func unavailable() {
        #expect(Inflater(begin: { _ in -4 }) == nil)
    }

    @Test(
        "A body is decoded whole, in whatever pieces it comes, one member or several", arguments: [1, 7, 100, 100_000])
    func pieces(_ piece: Int) throws {
        #expect(try inflate(Self.packed, piece: piece) == Data(count: GzippedZeros.count))
        #expect(try inflate(Self.packed + Self.packed, piece: piece) == Data(count: 2 * GzippedZeros.count))
        #expect(try inflate(Data(), piece: piece).isEmpty)
    }

    @Test("No byte of a body is decoded that its reader has not asked for")
    func lazy() throws {
        let inflater = try #require(Inflater())
        inflater.add(Self.packed)
        #expect(try inflater.next()?.count == Inflater.pieceSize)
        // Most of it is still packed: the next pieces have not been made.
        for _ in 1..<(GzippedZeros.count / Inflater.pieceSize) {
            #expect(try inflater.next()?.count == Inflater.pieceSize)
        }
        #expect(try inflater.next()?.count == GzippedZeros.count % Inflater.pieceSize)
        #expect(try inflater.next() == nil)
    }

    @Test("A body that is cut is an interruption, one that is damaged malformed: never a whole one")
    func damaged() throws {
        for length in [1, 10, 100, Self.packed.count - 1] {
            let error = #expect(throws: TransportError.self) { try inflate(Self.packed.prefix(length), piece: 50) }
            #expect(error?.kind == .interrupted, "after \(length) bytes")
        }
        var damaged = Self.packed
        damaged[damaged.count - 6] ^= 1  // of its checksum
        for bytes in [damaged, Data("<html>not gzip</html>".utf8), Self.packed + Data("more".utf8)] {
            let error = #expect(throws: TransportError.self) { try inflate(bytes, piece: 50) }
            #expect(error?.kind == .malformed)
        }
    }

    @Test("A compressed answer arrives decoded, and its head speaks of no other bytes")
    func compressed() async throws {
        let packed = Self.packed
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let accepted = request.value("Accept-Encoding") ?? ""
                try connection.respond(
                    fields: accepted.contains("gzip") ? ["Content-Encoding: gzip"] : [], body: packed)
            }
        }
        let client = CurlHTTPClient()
        let response = try await client.send(HTTPRequest(.get, server.url()))
        #expect(response.head.headers["Content-Encoding"] == nil)
        #expect(response.head.contentLength == nil)
        #expect(try await response.data(upTo: 300_000) == Data(count: 300_000))
        let slice = try await client.send(HTTPRequest(.get, server.url(), headers: ["Range": "bytes=0-"]))
        #expect(slice.head.contentLength == packed.count)
        #expect(try await slice.data(upTo: packed.count) == packed)
        let asItIs = try await client.send(HTTPRequest(.get, server.url(), headers: ["Accept-Encoding": "gzip"]))
        #expect(asItIs.head.headers["Content-Encoding"] == "gzip")
        #expect(try await asItIs.data(upTo: packed.count) == packed)
    }

    @Test(
        "A field that names no coding changes nothing",
        arguments: ["", "identity, identity", "aws-chunked", "UTF-8", "none"])
    func uncoded(_ coding: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.respond(fields: ["Content-Encoding: \(coding)"], body: Data("hello".utf8))
            }
        }
        let response = try await CurlHTTPClient().send(HTTPRequest(.get, server.url()))
        #expect(response.head.contentLength == 5)
        #expect(try await response.data(upTo: 100) == Data("hello".utf8))
    }

    @Test("A compressed body that is cut or damaged is told as such")
    func cut() async throws {
        let server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let body = request.target == "/cut" ? Self.packed.dropLast(4) : Data("{}".utf8)
                try connection.respond(fields: ["Content-Encoding: gzip"], body: Data(body))
            }
        }
        for (path, kind) in [("/cut", TransportError.Kind.interrupted), ("/damaged", .malformed)] {
            let response = try await CurlHTTPClient().send(HTTPRequest(.get, server.url(path)))
            let error = await #expect(throws: TransportError.self) { try await response.data(upTo: 1 << 20) }
            #expect(error?.kind == kind)
        }
    }

    @Test(
        "A coding that was not asked for is malformed",
        arguments: [
            "Content-Encoding: br", "Content-Encoding: gzip, gzip", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: deflate\r\nTransfer-Encoding: chunked",
        ])
    func unasked(_ field: String) async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.send("HTTP/1.1 200 OK\r\n\(field)\r\nConnection: close\r\n\r\n")
                return
            }
        }
        let error = await #expect(throws: TransportError.self) {
            try await CurlHTTPClient().send(HTTPRequest(.get, server.url())).data(upTo: 100)
        }
        #expect(error?.kind == .malformed)
    }

    #if os(Linux)
        @Test(
            "Forty bodies of 400 KB that inflate to 360 MB each need less than 64 MiB, and other requests are answered",
            .enabled(if: canBoundAddressSpace, "a sanitizer keeps memory that was freed"))
        func bombs() async throws {
            await #expect(processExitsWith: .success) {
                let bomb = Data((0..<1200).map { _ in GzippedZeros.packed }.joined())
                let server = try LoopbackServer { connection in
                    while let request = try connection.readRequest() {
                        let isBomb = request.target == "/bomb"
                        try connection.respond(
                            fields: isBomb ? ["Content-Encoding: gzip"] : [], body: isBomb ? bomb : Data("ok".utf8))
                    }
                }
                let client = CurlHTTPClient()
                // All that is loaded once, and the server's own threads.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<41 {
                        group.addTask {
                            _ = try await client.send(HTTPRequest(.get, server.url("/warm"))).data(upTo: 2)
                        }
                    }
                    try await group.waitForAll()
                }
                let before = try peakMemory()
                var bodies: [HTTPResponseBody] = []
                for _ in 0..<40 {
                    let response = try await client.send(HTTPRequest(.get, server.url("/bomb")))
                    try #require(try await response.body.next()?.isEmpty == false)
                    // Its reader is slow now.
                    bodies.append(response.body)
                }
                for _ in 0..<40 {
                    let answer = try await client.send(HTTPRequest(.get, server.url("/other"))).data(upTo: 2)
                    try #require(answer == Data("ok".utf8))
                }
                // All of them together, as far as a limit of 1 MB lets them.
                for body in bodies {
                    var count = 0
                    while count < 1_000_000, let piece = try await body.next() { count += piece.count }
                    try #require(count >= 1_000_000)
                }
                let growth = try peakMemory() - before
                try #require(growth < 64 << 20, "\(growth) bytes")
            }
        }
    #endif
}
