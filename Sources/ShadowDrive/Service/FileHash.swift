import Aquifer
import AquiferCrypto
import AquiferFoundation

/// Hashes a file in pieces of 256 KiB, so that memory use stays small. Cancelling the task stops it.
enum FileHash {
    private static let piece = 256 << 10

    static func sha256(of file: FileToSend) async throws(DriveError) -> Data {
        var hash = SHA256Hash()
        var done = 0
        do throws(StoreError) {
            guard let opened = try POSIX.openToRead(file.url.path(percentEncoded: false)) else {
                throw .failed(operation: "open it", reason: "it is gone")
            }
            while !Task.isCancelled {
                let bytes = try POSIX.read(opened, upTo: piece, at: done)
                if bytes.isEmpty { break }
                hash.update(bytes)
                done += bytes.count
                await Task.yield()  // others want this thread too
            }
        } catch { throw .file(.unreadable(name: file.name, reason: "\(error)")) }
        guard !Task.isCancelled else { throw .cancelled }
        guard UInt64(done) == file.size else { throw .file(.changed(name: file.name)) }
        return hash.finish()
    }

    /// Hashes a stored file as it arrives; `nil` if it has another size. The load stops once the file exceeds `size`.
    static func sha256(
        at location: FileLocation, size: UInt64, _ api: ShadowDriveAPI
    ) async throws(DriveError) -> Data? {
        let response = try await api.open(location)
        var (hash, received) = (SHA256Hash(), UInt64(0))
        while true {
            let chunk: Data?
            do throws(TransportError) { chunk = try await response.body.next() } catch { throw DriveError(error) }
            guard let chunk else { break }
            received += UInt64(chunk.count)
            guard received <= size else { return nil }
            hash.update(chunk)
        }
        return received == size ? hash.finish() : nil
    }
}
