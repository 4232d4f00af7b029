import AquiferCZlib
import Foundation
import HTTPServer

/// Compresses a streamed answer as `gzip`. It takes about 100 KB of memory while the stream is open.
final class GzipStream: StreamEncoder, @unchecked Sendable {
    // One function is called at a time.
    private let stream: UnsafeMutablePointer<z_stream>

    /// An encoder; `nil` if zlib is not there, or there is no memory.
    ///
    /// - Parameter begin: begins to compress, for tests of its failure.
    init?(begin: (UnsafeMutablePointer<z_stream>) -> Int32 = { aq_deflate_begin($0) }) {
        // Once the property is set, a failed initializer runs `deinit`, too.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard begin(stream) == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        aq_deflate_end(stream)
        stream.deallocate()
    }

    func encode(_ piece: Data) -> Data { deflate(piece, isLast: false) }

    func end() -> Data { deflate(Data(), isLast: true) }

    private func deflate(_ piece: Data, isLast: Bool) -> Data {
        var result = Data()
        var room = [UInt8](repeating: 0, count: 16 << 10)
        piece.withUnsafeBytes { bytes in
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(bytes.count)
            repeat {
                room.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    aq_deflate(stream, isLast ? 1 : 0)
                    result.append(contentsOf: room.prefix(room.count - Int(stream.pointee.avail_out)))
                }
                // All of it is out once some room is left.
            } while stream.pointee.avail_out == 0
        }
        return result
    }
}
