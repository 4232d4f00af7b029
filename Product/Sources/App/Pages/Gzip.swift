import AquiferCZlib
import Foundation
import HTTPServer

/// Compresses what the server sends often.
enum Gzip {
    /// The bytes as `gzip`; `nil` if they do not become smaller, or zlib is not there.
    static func compress(_ bytes: Data) -> Data? {
        var into = [UInt8](repeating: 0, count: bytes.count)
        let count = into.withUnsafeMutableBufferPointer { room in
            bytes.withUnsafeBytes { from in
                guard let from = from.bindMemory(to: UInt8.self).baseAddress, let room = room.baseAddress else {
                    return 0
                }
                return aq_gzip(from, bytes.count, room, bytes.count)
            }
        }
        return count > 0 ? Data(into[..<count]) : nil
    }

    /// True if the client takes `gzip` (RFC 9110, 12.5.3).
    static func isAccepted(by request: ServerRequest) -> Bool {
        request.headers.values(of: "Accept-Encoding").flatMap { $0.lowercased().split(separator: ",") }.contains {
            part in
            let words = part.split { $0 == ";" || $0 == " " || $0 == "\t" }
            return words.first == "gzip"
                && !words.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
        }
    }

    /// A streamed answer, compressed while it is written if the client takes that.
    ///
    /// The states of a screen are much like each other: all but the first one take some bytes each.
    static func streamed(_ response: ServerResponse, for request: ServerRequest) -> ServerResponse {
        guard case .stream(length: nil, _) = response.body else { return response }
        var response = response
        response.headers.add("Vary", "Accept-Encoding")
        guard isAccepted(by: request), let encoder = GzipStream() else { return response }
        response.headers["Content-Encoding"] = "gzip"
        response.encoder = encoder
        return response
    }
}
