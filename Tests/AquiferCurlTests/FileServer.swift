import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// A server on a socket with one file of so many bytes. It knows ranges, cuts as told, and records the ranges it sent.
final class FileServer: Sendable {
    static let piece = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) &* 7) })

    let size: Int
    private let state: Locked<(cuts: [Int], sent: [Range<Int>])>
    private let server: LoopbackServer
    var url: URL { server.url("/large.bin") }

    /// - Parameter cuts: the number of bytes after which each of the first answers ends.
    init(size: Int, cuts: [Int] = []) throws {
        self.size = size
        let state = Locked((cuts: cuts, sent: [Range<Int>]()))
        self.state = state
        server = try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let asked = request.value("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
                let start = request.value("If-Range") == "\"large\"" ? asked ?? 0 : 0
                let cut = state.withLock { $0.cuts.isEmpty ? nil : $0.cuts.removeFirst() }
                let end = min(size, start + (cut ?? size))
                var head = "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\nETag: \"large\"\r\n"
                if start > 0 { head += "Content-Range: bytes \(start)-\(size - 1)/\(size)\r\n" }
                try connection.send(head + "Content-Length: \(size - start)\r\n\r\n")
                var place = start
                while place < end {
                    let offset = place % Self.piece.count
                    let count = min(Self.piece.count - offset, end - place)
                    try connection.send(Self.piece[offset..<(offset + count)])
                    place += count
                }
                state.withLock { $0.sent.append(start..<end) }
                if cut != nil { return }
            }
        }
    }

    /// The ranges that were sent, of whole answers and cut ones, in order.
    var sent: [Range<Int>] { state.withLock { $0.sent } }
}

extension DownloadedFile {
    /// True if it is the server's file, to the last byte.
    func isTheServers(_ size: Int) async throws -> Bool {
        var place = 0
        for try await chunk in chunks() {
            let offset = place % FileServer.piece.count
            guard chunk == FileServer.piece[offset..<(offset + chunk.count)] else { return false }
            place += chunk.count
        }
        return place == size
    }
}

/// A folder for one test, removed after it.
func withTemporaryFolder<Value>(_ use: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("aquifer-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
    return try await use(folder)
}
