import Aquifer
import Foundation
import HTTPServer

/// Files that pages have handed over and not sent, in a store that replicas share, in pieces of 1 MiB.
///
/// They are kept for a day after they were handed over, and for as long as a form has them: the server sweeps each hour. A day is
/// measured by the store's clock, if it has one: a replica whose clock is wrong removes nothing.
struct DraftFiles: Sendable {
    static let prefix = "upload:"
    private static let piece = 1 << 20
    /// The time for which a form and its file are kept.
    static let keep: TimeInterval = 24 * 3600

    let store: any CacheStore
    let uploads: Uploads
    /// The clock, if the store has none.
    let now: @Sendable () -> Date

    /// The time by the clock that all replicas have.
    func time() async throws(StoreError) -> Date { try await store.presence?.time() ?? now() }

    /// Keeps a file. If it throws, nothing of it is left.
    func keep(_ file: URL, as id: UUID) async throws(StoreError) {
        let path = file.path(percentEncoded: false)
        do throws(StoreError) {
            guard let open = try POSIX.openToRead(path), let size = try POSIX.size(open) else {
                throw .failed(operation: "keep an uploaded file", reason: "it is gone")
            }
            let time = try await time()
            for (number, start) in stride(from: 0, to: size, by: Self.piece).enumerated() {
                let bytes = try await FileThreads.run { () throws(StoreError) in
                    try POSIX.data(min(Self.piece, size - start)) { target throws(StoreError) in
                        guard try POSIX.read(open, into: target, at: start) == target.count else {
                            throw .failed(operation: "keep an uploaded file", reason: "it has become shorter")
                        }
                    }
                }
                try await store.insert(StoredEntry(bytes: bytes, savedAt: time), for: Self.key(id, number))
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

    /// Removes the forms of a store that were left for more than a day, and the files of that age that no form has.
    ///
    /// - Parameter now: the time, if the store has no clock.
    static func sweep(_ store: any CacheStore, now: Date) async {
        do throws(StoreError) {
            let limit = try await (store.presence?.time() ?? now).addingTimeInterval(-keep)
            for form in try await store.contents(prefix: AudioDraftShelf.prefix).entries where form.savedAt < limit {
                try await store.update(form.key) { found in
                    // One that cannot be read is nobody's form. One that was saved meanwhile stays.
                    let present = (try? found.get())?.savedAt ?? form.savedAt
                    return present < limit ? .delete : .keep
                }
            }
            var used = Set<UUID>()
            for form in try await store.contents(prefix: AudioDraftShelf.prefix).entries {
                do throws(StoreError) {
                    let entry = try await store.retrieve(form.key)
                    if let upload = entry.flatMap(AudioDraftShelf.upload) { used.insert(upload) }
                } catch { guard case .unreadable = error else { throw error } }  // it is nobody's form
            }
            for piece in try await store.contents(prefix: prefix).entries where piece.savedAt < limit {
                let id = piece.key.dropFirst(prefix.count).prefix { $0 != ":" }
                if UUID(uuidString: String(id)).map(used.contains) != true { try await store.delete(piece.key) }
            }
        } catch {}  // The next call removes the rest.
    }

    private static func key(_ id: UUID, _ number: Int) -> String { "\(prefix)\(id.uuidString):\(number)" }
}
