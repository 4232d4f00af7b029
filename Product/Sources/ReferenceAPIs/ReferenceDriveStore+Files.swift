import AquiferSolana
import Foundation

/// The bytes of files: those that arrive, and those that belong to an account.
extension DriveStore {
    /// A file that is being uploaded.
    struct Arrival: Sendable {
        let stored: String
        let url: URL
        var size: UInt64 = 0
        /// True if the file is larger than allowed. The bytes beyond the limit are not stored.
        var isTooLarge = false

        /// Adds bytes.
        mutating func add(_ piece: Data, to handle: FileHandle) throws {
            size += UInt64(piece.count)
            guard size <= ShadowDriveLimits.fileBytes else {
                isTooLarge = true
                return
            }
            try handle.write(contentsOf: piece)
        }

        func file(named name: String) -> DriveFile { DriveFile(name: name, size: size, stored: stored) }
    }

    func begin() throws -> Arrival {
        let folder = root.appending(path: "arriving", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let stored = UUID().uuidString
        let arrival = Arrival(stored: stored, url: folder.appending(path: stored))
        guard FileManager.default.createFile(atPath: arrival.url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return arrival
    }

    nonisolated func abandon(_ arrivals: [Arrival]) {
        // Arrivals that became files have been moved away.
        for arrival in arrivals { try? FileManager.default.removeItem(at: arrival.url) }
    }

    /// Moves an arrived file to its final place, before the account lists it.
    nonisolated func place(_ arrival: Arrival, in account: PublicKey) throws {
        let target = bytes(of: arrival.file(named: ""), in: account)
        guard rename(arrival.url.path, target.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// The location of a file's bytes.
    nonisolated func bytes(of file: DriveFile, in account: PublicKey) -> URL {
        root.appending(path: "accounts/\(account)/\(file.stored)")
    }
}
