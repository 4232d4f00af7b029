import Aquifer
import AquiferCrypto
import Foundation

/// Hashes a file piece by piece: nothing large is held in memory, and a cancelled task stops it.
enum FileHash {
    private static let piece = 256 << 10

    static func sha256(of file: FileToSend) async throws(DriveError) -> Data {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: piece)
        var done = 0
        do throws(StoreError) {
            guard let opened = try POSIX.openToRead(file.url.path(percentEncoded: false)) else {
                throw .failed(operation: "open it", reason: "it is gone")
            }
            while !Task.isCancelled {
                let count = try buffer.withUnsafeMutableBytes { raw in
                    Result { () throws(StoreError) in try POSIX.read(opened, into: raw, at: done) }
                }.get()
                if count == 0 { break }
                buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                done += count
                await Task.yield()  // others want this thread too
            }
        } catch { throw .file(.unreadable(name: file.name, reason: "\(error)")) }
        guard !Task.isCancelled else { throw .cancelled }
        guard UInt64(done) == file.size else { throw .file(.changed(name: file.name)) }
        return hash.finish()
    }
}
