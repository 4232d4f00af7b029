import Aquifer
import AudioFeed
import Foundation
import HTTPServer

/// The files that pages have handed over, in a folder of their own: each until it was posted, replaced or abandoned.
/// What an earlier run left behind is removed by the first file of this one.
struct Uploads: Sendable {
    private let folder: URL
    private let isClean = Locked(false)

    init(_ folder: URL) {
        self.folder = folder
    }

    /// Why a file was not taken: the status and the words of the answer.
    struct Refusal: Error {
        let status: Int
        let kind: String
        let message: String
    }

    /// Writes a request's body to a file, piece by piece.
    ///
    /// - Throws: ``Refusal``; nothing is left of the file then.
    func take(_ body: ServerRequestBody, limit: UInt64) async throws(Refusal) -> URL {
        let file: URL
        let handle: FileHandle
        do {
            try prepare()
            file = folder.appending(path: UUID().uuidString)
            guard
                FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown) }
            handle = try FileHandle(forWritingTo: file)
        } catch {
            throw Refusal(
                status: 500, kind: "store", message: "the file could not be kept: \(error.localizedDescription)")
        }
        defer { handle.closeFile() }
        var size: UInt64 = 0
        var chunks = body.makeAsyncIterator()
        do {
            while let chunk = try await chunks.next() {
                size += UInt64(chunk.count)
                guard size <= limit else {
                    throw Refusal(status: 413, kind: "tooLarge", message: "the file is larger than \(limit) bytes")
                }
                try handle.write(contentsOf: chunk)
            }
            return file
        } catch {
            remove(file)
            if let refusal = error as? Refusal { throw refusal }
            if let error = error as? ServerBodyError {
                throw Refusal(status: 400, kind: "body", message: error.description)
            }
            throw Refusal(status: 507, kind: "store", message: "the file could not be kept: there may be no room left")
        }
    }

    /// Writes a request's body to a file of this name, in a folder of its own.
    ///
    /// - Throws: ``Refusal``; nothing is left of the file then.
    func take(_ body: ServerRequestBody, limit: UInt64, named name: String) async throws(Refusal) -> URL {
        guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
            throw Refusal(status: 422, kind: "file", message: "a file cannot have this name")
        }
        let file = try await take(body, limit: limit)
        let place = folder.appending(path: UUID().uuidString, directoryHint: .isDirectory)
        let named = place.appending(path: name, directoryHint: .notDirectory)
        do {
            try FileManager.default.createDirectory(
                at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try FileManager.default.moveItem(at: file, to: named)
            return named
        } catch {
            remove(file)
            remove(named)
            throw Refusal(status: 422, kind: "file", message: "a file cannot have this name here")
        }
    }

    /// Removes a file that is needed no more.
    func remove(_ file: URL) {
        let place = file.deletingLastPathComponent().standardizedFileURL
        let own = folder.standardizedFileURL
        // One that has its own name has a folder of its own.
        let target = place == own ? file : place.deletingLastPathComponent().standardizedFileURL == own ? place : nil
        guard let target else { return }
        // One that stays is removed by the next run.
        try? FileManager.default.removeItem(at: target)
    }

    private func prepare() throws {
        try isClean.withLock { isClean in
            guard !isClean else { return }
            // There may be none.
            try? FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            isClean = true
        }
    }
}
