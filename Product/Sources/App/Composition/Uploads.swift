import Aquifer
import AquiferAudioFeed
import Foundation
import HTTPServer

/// The files that pages have uploaded, in a folder of this process's own. A file is kept until it was posted, replaced
/// or abandoned.
struct Uploads: Sendable {
    private let own: OwnFolder
    /// The name of a folder in it that is one user's alone; `nil` if all of it is.
    private let part: String?
    /// The bound on what the user of these files keeps; `nil` if there is none.
    private let quota: UserQuota?

    init(_ folder: URL, quota: UserQuota? = nil) { self.init(in: OwnFolder(folder), quota: quota) }

    /// - Parameters:
    ///   - own: a folder of this process, which may be that of several users.
    ///   - user: the user of these files, if there are several.
    ///   - quota: the bound on what the user keeps. It counts the files, wherever the folder is.
    init(in own: OwnFolder, of user: UserID? = nil, quota: UserQuota? = nil) {
        (self.own, self.quota) = (own, quota)
        part = user.map { "uploads-of-\($0.text)" }
        if let part { quota?.count { own.known?.appending(path: part, directoryHint: .isDirectory) } }
    }

    /// The folder of the files, created on first use.
    private func prepared() throws(StoreError) -> URL {
        let whole = try own.prepared()
        guard let part else { return whole }
        let folder = whole.appending(path: part, directoryHint: .isDirectory)
        try POSIX.makeFolder(folder.path(percentEncoded: false))
        return folder
    }

    /// The folder of the files, if the folder that it is in was created.
    private var known: URL? {
        guard let whole = own.known else { return nil }
        return part.map { whole.appending(path: $0, directoryHint: .isDirectory) } ?? whole
    }

    /// Writes a request's body to a file, piece by piece.
    ///
    /// - Parameter announced: the length that the request announces, which is reserved at once; `nil` if it announces none.
    /// - Throws: ``UploadRefusal``. The file is removed then.
    func take(
        _ body: ServerRequestBody, limit: UInt64, announced: UInt64? = nil
    ) async throws(UploadRefusal) -> URL {
        try await FileThreads.run { () throws(UploadRefusal) in
            let (file, reservation) = try await write(body, limit, announced)
            reservation?.keep()
            return file
        }
    }

    private func write(
        _ body: ServerRequestBody, _ limit: UInt64, _ announced: UInt64?
    ) async throws(UploadRefusal) -> (URL, UserQuota.Reservation?) {
        let file: URL
        let reservation: UserQuota.Reservation?
        let handle: FileHandle
        do {
            file = try prepared().appending(path: UUID().uuidString)
            reservation = try await quota?.reservation(for: file)
            guard
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            handle = try FileHandle(forWritingTo: file)
        } catch {
            throw UploadRefusal(
                status: 500, kind: "store", message: "the file could not be kept: the server has no place for it now")
        }
        // The writes have reported every error; `closeFile()` would trap.
        defer { try? handle.close() }
        do {
            try await reserve(min(announced ?? 0, limit), reservation)
            var size: UInt64 = 0
            var chunks = body.makeAsyncIterator()
            while let chunk = try await chunks.next() {
                size += UInt64(chunk.count)
                guard size <= limit else {
                    throw UploadRefusal(
                        status: 413, kind: "tooLarge", message: "the file is larger than \(limit) bytes")
                }
                try await reserve(size, reservation)
                try handle.write(contentsOf: chunk)
            }
            return (file, reservation)
        } catch {
            remove(file)
            if let refusal = error as? UploadRefusal { throw refusal }
            if let error = error as? ServerBodyError {
                throw UploadRefusal(status: 400, kind: "body", message: error.description)
            }
            throw UploadRefusal(
                status: 507, kind: "store", message: "the file could not be kept: there may be no room left")
        }
    }

    /// Reserves so much that a file of this size has room.
    private func reserve(_ size: UInt64, _ reservation: UserQuota.Reservation?) async throws(UploadRefusal) {
        guard let reservation, size > reservation.reserved else { return }
        do throws(StoreError) {
            if try await reservation.add(size - reservation.reserved) { return }
        } catch {
            throw UploadRefusal(status: 500, kind: "store", message: "\(error.forPages)")
        }
        throw UploadRefusal.quota(quota)
    }

    /// A place for a file in the folder of this process.
    func place() throws(StoreError) -> URL { try prepared().appending(path: UUID().uuidString) }

    /// Writes a request's body to a file of this name, in a folder of its own.
    ///
    /// - Throws: ``UploadRefusal``. The file is removed then.
    func take(
        _ body: ServerRequestBody, limit: UInt64, named name: String, announced: UInt64? = nil
    ) async throws(UploadRefusal) -> URL {
        guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
            throw UploadRefusal(status: 422, kind: "file", message: "a file cannot have this name")
        }
        return try await FileThreads.run { () throws(UploadRefusal) in
            let (file, reservation) = try await write(body, limit, announced)
            let named = try rename(file, to: name)
            reservation?.keep()
            return named
        }
    }

    private func rename(_ file: URL, to name: String) throws(UploadRefusal) -> URL {
        let place = file.deletingLastPathComponent().appending(path: UUID().uuidString, directoryHint: .isDirectory)
        let named = place.appending(path: name, directoryHint: .notDirectory)
        do {
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try FileManager.default.moveItem(at: file, to: named)
            return named
        } catch {
            remove(file)
            remove(named)
            throw UploadRefusal(status: 422, kind: "file", message: "a file cannot have this name here")
        }
    }

    /// Removes a file that is no longer needed.
    func remove(_ file: URL) {
        guard let known = self.known.map(Self.path) else { return }
        let place = file.deletingLastPathComponent()
        // A file with a name of its own has a folder of its own.
        let target =
            Self.path(place) == known ? file : Self.path(place.deletingLastPathComponent()) == known ? place : nil
        guard let target else { return }
        // A file that cannot be removed now is removed after this process has ended.
        try? FileManager.default.removeItem(at: target)
    }

    /// The path of a folder, in the form in which two paths are compared.
    private static func path(_ folder: URL) -> String {
        let path = folder.standardizedFileURL.path(percentEncoded: false)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}

/// The reason why an uploaded file was refused: the status and the text of the answer.
struct UploadRefusal: Error {
    let status: Int
    let kind: String
    let message: String
}

extension UploadRefusal {
    /// The refusal of a file for which its user has no room.
    static func quota(_ quota: UserQuota?) -> UploadRefusal {
        UploadRefusal(status: 507, kind: "quota", message: quota.map { "\($0.isFull)" } ?? "there is no room left")
    }
}

extension ServerRequest {
    /// The length of the body that the request announces; `nil` if it announces none.
    var announcedLength: UInt64? { headers["Content-Length"].flatMap { UInt64($0) } }
}
