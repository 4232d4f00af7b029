import Aquifer
import Foundation
import HTTPServer

/// Files that pages have handed over and not sent, in a store that replicas share, in pieces of 1 MiB.
///
/// They are kept for a day after they were handed over: the server sweeps each hour.
struct DraftFiles: Sendable {
    static let prefix = "upload:"
    private static let piece = 1 << 20
    /// The time for which a form and its file are kept.
    static let keep: TimeInterval = 24 * 3600

    let store: any CacheStore
    let uploads: Uploads
    let now: @Sendable () -> Date

    /// Keeps a file. If it throws, nothing of it is left.
    func keep(_ file: URL, as id: UUID) async throws(StoreError) {
        let path = file.path(percentEncoded: false)
        do throws(StoreError) {
            guard let open = try POSIX.openToRead(path), let size = try POSIX.size(open) else {
                throw .failed(operation: "keep an uploaded file", reason: "it is gone")
            }
            for (number, start) in stride(from: 0, to: size, by: Self.piece).enumerated() {
                let bytes = try await FileThreads.run { () throws(StoreError) in
                    try POSIX.data(min(Self.piece, size - start)) { target throws(StoreError) in
                        guard try POSIX.read(open, into: target, at: start) == target.count else {
                            throw .failed(operation: "keep an uploaded file", reason: "it has become shorter")
                        }
                    }
                }
                try await store.insert(StoredEntry(bytes: bytes, savedAt: now()), for: Self.key(id, number))
            }
        } catch {
            await remove(id)
            throw error
        }
    }

    /// A file of this process with what was kept.
    ///
    /// - Throws: `StoreError` if it cannot be read, or is not as long as it was.
    func fetch(_ id: UUID, size: UInt64) async throws(StoreError) -> URL {
        let file = try uploads.place()
        do throws(StoreError) {
            let target = try POSIX.openToWrite(file.path(percentEncoded: false), truncate: true)
            var (written, number) = (UInt64(0), 0)
            while written < size {
                guard let bytes = try await store.retrieve(Self.key(id, number))?.bytes, !bytes.isEmpty else {
                    throw .failed(operation: "read an uploaded file", reason: "a part of it is gone")
                }
                try await FileThreads.run { () throws(StoreError) in try POSIX.write(target, bytes) }
                (written, number) = (written + UInt64(bytes.count), number + 1)
            }
            guard written == size else {
                throw .failed(operation: "read an uploaded file", reason: "it is not as long as it was")
            }
        } catch {
            uploads.remove(file)
            throw error
        }
        return file
    }

    /// Removes what was kept of a file.
    func remove(_ id: UUID) async {
        // The rest is removed a day later.
        try? await store.deleteAll(prefix: Self.prefix + id.uuidString + ":")
    }

    /// Removes the forms and files of a store that were left for more than a day.
    static func sweep(_ store: any CacheStore, now: Date) async {
        let limit = now.addingTimeInterval(-keep)
        for prefix in [prefix, AudioDraftShelf.prefix] {
            // A store that cannot be listed now is swept by the next call.
            let left = (try? await store.contents(prefix: prefix).entries) ?? []
            for entry in left where entry.savedAt < limit { try? await store.delete(entry.key) }  // as above
        }
    }

    private static func key(_ id: UUID, _ number: Int) -> String { "\(prefix)\(id.uuidString):\(number)" }
}
