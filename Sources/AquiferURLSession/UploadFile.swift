import Aquifer
import Foundation

/// The file that a body is sent from, so that it is never whole in memory.
///
/// A body that is one whole file is sent from that file. Other bodies with pieces of files are joined in a temporary file,
/// which is deleted with the last reference.
final class UploadFile: Sendable {
    let file: URL
    private let isTemporary: Bool

    /// The file of a body; `nil` for a body that is in memory anyway, or for none.
    ///
    /// - Throws: `.unreadableBody` when a file cannot be read, is shorter than its part, or the temporary file cannot be
    ///   written.
    init?(_ body: HTTPBody?, in folder: URL = .temporaryDirectory, makeID: () -> UUID = { UUID() })
        throws(TransportError)
    {
        guard let body else { return nil }
        let hasFile = body.parts.contains { if case .file = $0 { true } else { false } }
        guard hasFile else { return nil }
        if case .file(let file, offset: 0, let length)? = body.parts.first, body.parts.count == 1,
            Self.size(of: file) == length
        {
            (self.file, isTemporary) = (file, false)
        } else {
            (file, isTemporary) = (folder.appending(path: "aquifer-upload-\(makeID().uuidString)"), true)
            try write(body)
        }
    }

    deinit {
        // The system empties the folder of what is left.
        if isTemporary { try? FileManager.default.removeItem(at: file) }
    }

    private func write(_ body: HTTPBody) throws(TransportError) {
        let handle: FileHandle
        do {
            try Data().write(to: file, options: .withoutOverwriting)
            handle = try FileHandle(forWritingTo: file)
        } catch { throw Self.unwritable(error) }
        for part in body.parts {
            try part.forEachPiece { (piece) throws(TransportError) in
                do { try handle.write(contentsOf: piece) } catch { throw Self.unwritable(error) }
            }
        }
        do { try handle.close() } catch { throw Self.unwritable(error) }
    }

    private static func unwritable(_ error: any Error) -> TransportError {
        TransportError(.unreadableBody, "the temporary file of the body: \(error.localizedDescription)")
    }

    private static func size(of file: URL) -> UInt64? {
        // A file that cannot be looked at is reported when it is read.
        (try? file.resourceValues(forKeys: [.fileSizeKey]))?.fileSize.map { UInt64($0) }
    }
}
