import Aquifer
import Foundation

extension ShadowDriveAPI {
    /// Begins to load a file: its bytes come from the answer's body as they are read. What ends a body too early is told
    /// as a `TransportError`.
    ///
    /// - Throws: ``DriveError/noSuchFile(_:)`` for a 404, ``DriveError/refused(_:)`` for any status but 200, and
    ///   ``DriveError/connectivity(_:)``.
    public func open(_ location: FileLocation) async throws(DriveError) -> HTTPResponse {
        guard let source = location.url else { throw .noSuchFile(location.text) }
        let response: HTTPResponse
        do throws(TransportError) { response = try await client.send(HTTPRequest(.get, source)) } catch {
            throw DriveError(error)
        }
        switch response.head.status {
        case 200: return response
        case 404: throw .noSuchFile(location.text)
        default: throw .refused(Refusal(status: response.head.status, words: ""))
        }
    }

    /// Loads a file, as it arrives, into a file of this machine. It is there whole or not at all: what comes is written
    /// beside it and renamed in the end.
    ///
    /// - Parameters:
    ///   - location: the file's address.
    ///   - url: where to; a file that is there is replaced.
    ///   - onReceived: told how many bytes have come, and how many there are, if the server says.
    /// - Returns: the size in bytes.
    /// - Throws: what ``open(_:)`` throws, also when the body ends too early; ``DriveError/file(_:)`` when it cannot be
    ///   written.
    @discardableResult
    public func download(
        _ location: FileLocation, to url: URL,
        onReceived: (@Sendable (_ received: UInt64, _ of: UInt64?) -> Void)? = nil
    ) async throws(DriveError) -> UInt64 {
        let response = try await open(location)
        let path = url.path(percentEncoded: false)
        let partial = path + ".partial"
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
                try chunk.withUnsafeBytes { raw in Result { () throws(StoreError) in try POSIX.write(file, raw) } }
                    .get()
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
