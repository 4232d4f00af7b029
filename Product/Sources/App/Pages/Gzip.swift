import AquiferCZlib
import Foundation

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
}
