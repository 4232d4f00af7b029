import Aquifer
import Foundation

extension HTTPBody.Part {
    private static var pieceLength: UInt64 { 1 << 20 }

    /// Hands over the bytes of this part, a file's in pieces of at most 1 MB.
    ///
    /// - Throws: `.unreadableBody` when a file cannot be read or is shorter than its part.
    func forEachPiece(_ take: (Data) throws(TransportError) -> Void) throws(TransportError) {
        switch self {
        case .bytes(let data): try take(data)
        case .file(let url, var offset, let length):
            var left = length
            let file: FileHandle
            do { file = try FileHandle(forReadingFrom: url) } catch { throw Self.unreadable(url, error) }
            while left > 0 {
                let piece: Data
                do {
                    try file.seek(toOffset: offset)
                    piece = try file.read(upToCount: Int(min(Self.pieceLength, left))) ?? Data()
                } catch { throw Self.unreadable(url, error) }
                guard !piece.isEmpty else {
                    throw TransportError(.unreadableBody, "\(url.lastPathComponent) is too short")
                }
                try take(piece)
                offset += UInt64(piece.count)
                left -= UInt64(piece.count)
            }
        }
    }

    private static func unreadable(_ url: URL, _ error: any Error) -> TransportError {
        TransportError(.unreadableBody, "\(url.lastPathComponent): \(error.localizedDescription)")
    }
}
