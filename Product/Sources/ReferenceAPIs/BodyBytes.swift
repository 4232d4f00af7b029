import Foundation
import HTTPServer

/// The bytes of an answer's body, in memory or in a file, piece by piece.
struct BodyBytes: Sendable {
    let length: UInt64
    private let body: ServerResponse.Body

    /// The number of bytes that are read at once.
    static let piece = 256 << 10

    /// `nil` for a body that is a stream already.
    init?(_ body: ServerResponse.Body) {
        switch body {
        case .bytes(let data): length = UInt64(data.count)
        case .file(_, _, let length): self.length = length
        case .stream: return nil
        }
        self.body = body
    }

    /// Hands out the first `limit` bytes in pieces of at most `size`. A file that has become shorter ends early,
    /// without an error.
    func read(upTo limit: UInt64, pieces size: Int, _ take: (Data) async throws -> Void) async throws {
        let end = min(limit, length)
        switch body {
        case .bytes(let data):
            for start in stride(from: 0, to: Int(end), by: size) {
                try await take(data.dropFirst(start).prefix(min(size, Int(end) - start)))
            }
        case .file(let path, let offset, _):
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            // The file was only read; `closeFile()` would trap.
            defer { try? file.close() }
            try file.seek(toOffset: offset)
            var left = Int(end)
            while left > 0, let data = try file.read(upToCount: min(size, left)), !data.isEmpty {
                try await take(data)
                left -= data.count
            }
        case .stream: break
        }
    }
}
