import Aquifer
import AquiferFoundation

extension ShadowDriveAPI {
    /// Starts to load a file. Its bytes arrive from the response's body as they are read. A body that ends too early
    /// throws a `TransportError`.
    ///
    /// - Throws: ``DriveError/noSuchFile(_:)`` for a 404, ``DriveError/refused(_:)`` for any status but 200, and
    ///   ``DriveError/connectivity(_:)``.
    public func open(_ location: FileLocation) async throws(DriveError) -> HTTPResponse {
        guard let source = location.url else { throw .noSuchFile(location.text) }
        let response: HTTPResponse
        // The identity encoding makes the announced size equal to the received size.
        let request = HTTPRequest(.get, source, headers: ["Accept-Encoding": "identity"])
        do throws(TransportError) { response = try await client.send(request) } catch { throw DriveError(error) }
        switch response.head.status {
        case 200 where response.head.isEncoded: throw .invalidData(.compressed)
        // A network's sign-in page is no file. A name without an ending may be one of a page.
        case 200
        where response.head.isPage && !source.pathExtension.isEmpty
            && !source.pathExtension.lowercased().contains("htm"):
            throw .invalidData(.mediaType(response.head.mediaType))
        case 200: return response
        case 404: throw .noSuchFile(location.text)
        default: throw .refused(DriveRefusal(status: response.head.status, words: ""))
        }
    }

    /// Downloads a file to this machine, writing the bytes as they arrive. The bytes go to a temporary file beside the
    /// destination, which is renamed at the end. The destination is therefore complete, or unchanged.
    ///
    /// - Parameters:
    ///   - location: the file's address.
    ///   - url: the destination; an existing file is replaced.
    ///   - id: the identifier in the name of the temporary file.
    ///   - onReceived: called with the received bytes and the total bytes; the total is `nil` if the server does not
    ///     give it.
    /// - Returns: the size in bytes.
    /// - Throws: the errors of ``open(_:)``; a ``DriveError`` if the body ends too early; ``DriveError/file(_:)`` if
    ///   the file cannot be written.
    @discardableResult
    public func download(
        _ location: FileLocation, to url: URL, id: UUID = UUID(),
        onReceived: (@Sendable (_ received: UInt64, _ of: UInt64?) -> Void)? = nil
    ) async throws(DriveError) -> UInt64 {
        let response = try await open(location)
        let path = url.path(percentEncoded: false)
        // The temporary name is unique, so that two downloads to one destination do not share a file.
        let partial = path + ".\(id.uuidString).partial"
        do throws(DriveError) {
            let size = try await Self.write(response, to: partial, onReceived)
            do throws(StoreError) { try POSIX.replace(path, with: partial) } catch {
                throw .file(.unwritable(path: path, reason: "\(error)"))
            }
            return size
        } catch {
            _ = try? POSIX.remove(partial)  // the first error is the one to tell
            throw error
        }
    }

    private static func write(
        _ response: HTTPResponse, to path: String, _ onReceived: (@Sendable (UInt64, UInt64?) -> Void)?
    ) async throws(DriveError) -> UInt64 {
        let announced = response.head.contentLength.map(UInt64.init)
        var received: UInt64 = 0
        let file: POSIX.File
        do throws(StoreError) { file = try POSIX.openToWrite(path, truncate: true) } catch {
            throw .file(.unwritable(path: path, reason: "\(error)"))
        }
        while true {
            let chunk: Data?
            do throws(TransportError) { chunk = try await response.body.next() } catch { throw DriveError(error) }
            guard let chunk else { break }
            do throws(StoreError) {
                try POSIX.write(file, chunk)
            } catch { throw .file(.unwritable(path: path, reason: "\(error)")) }
            received += UInt64(chunk.count)
            onReceived?(received, announced)
        }
        do throws(StoreError) { try POSIX.flush(file) } catch {
            throw .file(.unwritable(path: path, reason: "\(error)"))
        }
        return received
    }
}

extension ShadowDriveService {
    /// Starts to load a file of an account, as ``ShadowDriveAPI/open(_:)`` does.
    public func open(_ name: String, in account: PublicKey) async throws(DriveError) -> HTTPResponse {
        try await api.open(try api.location(of: name, in: account))
    }
}
