import Aquifer
import AquiferConcurrency
import Foundation
import Testing

@testable import AquiferSQLite

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

@Suite("The store in SQLite, its file taken away or none at all", .timeLimit(.minutes(10)))
struct ReplacedFileTests {
    private let one = StoredEntry(bytes: Data("one".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))
    private let two = StoredEntry(bytes: Data("two".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 2))

    /// The ways in which the database goes away: its file alone, or with its log.
    private static let ways = [[""], ["", "-wal", "-shm"]]

    private func remove(_ file: URL, _ parts: [String]) throws {
        for part in parts { try FileManager.default.removeItem(atPath: file.path + part) }
    }

    @Test("keeps what it acknowledges in the file that another made anew", arguments: ways)
    func replaced(parts: [String]) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try await open.insert(one, for: "before")
            try remove(file, parts)
            let other = try SQLiteStore(file: file)
            try await other.insert(two, for: "theirs")
            try await open.insert(one, for: "ours")
            try await other.insert(two, for: "theirs too")
            for store in [open, other, try SQLiteStore(file: file)] {
                #expect(Set(try await store.entries().map(\.key)) == ["theirs", "ours", "theirs too"])
                #expect(try await store.retrieve("ours") == one)
                #expect(try await store.retrieve("before") == nil)
            }
        }
    }

    @Test("makes a file that was deleted anew, and keeps what it acknowledges in it", arguments: ways)
    func deleted(parts: [String]) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try await open.insert(one, for: "before")
            _ = try await open.retrieve("before")
            try remove(file, parts)
            #expect(try await open.retrieve("before") == nil)
            #expect(try await open.contents() == StoreContents())
            try await open.update("key") { found in
                #expect(found == .success(nil))
                return .replace(two)
            }
            try await open.delete("nothing")
            #expect(try await SQLiteStore(file: file).retrieve("key") == two)
            #expect(try await open.retrieve("key") == two)
        }
    }

    @Test("reads the file that is there now, without a write of its own")
    func readsTheNewOne() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try await open.insert(one, for: "key")
            #expect(try await open.retrieve("key") == one)
            try remove(file, ["", "-wal", "-shm"])
            let other = try SQLiteStore(file: file)
            try await other.insert(two, for: "key")
            #expect(try await open.retrieve("key") == two)
            #expect(try await open.contents().entries.count == 1)
        }
    }

    @Test("decides over the file that is there now, once")
    func decidesOnce() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try await open.insert(one, for: "key")
            try remove(file, [""])
            try await SQLiteStore(file: file).insert(two, for: "key")
            let seen = Locked<[Result<StoredEntry?, StoreError>]>([])
            try await open.update("key") { found in
                seen.withLock { $0.append(found) }
                return .delete
            }
            #expect(seen.withLock { $0 } == [.success(two)])
            #expect(try await SQLiteStore(file: file).retrieve("key") == nil)
        }
    }

    @Test("throws when its file is taken away while it decides: what it decided is nowhere")
    func takenAwayMeanwhile() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try await open.insert(one, for: "key")
            let path = file.path
            await #expect(throws: StoreError.self) {
                try await open.update("key") { _ in
                    _ = unlink(path)
                    return .replace(two)
                }
            }
            try await open.update("key") { _ in .replace(two) }
            #expect(try await SQLiteStore(file: file).retrieve("key") == two)
        }
    }

    @Test("says that a folder was put in its place, and takes it as it is")
    func folderInItsPlace() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let open = try SQLiteStore(file: file)
            try remove(file, [""])
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            await #expect(throws: StoreError.notAStore(path: file.path)) { try await open.insert(one, for: "key") }
            await #expect(throws: StoreError.notAStore(path: file.path)) { try await open.retrieve("key") }
        }
    }

    @Test("says of a device, a pipe, a socket and a link to one that it is not a store, without waiting")
    func special() async throws {
        try await TemporaryFolder.with { folder in
            let pipe = folder.appendingPathComponent("pipe")
            #expect(mkfifo(pipe.path, 0o600) == 0)
            let socket = folder.appendingPathComponent("socket")
            let descriptor = try Self.bind(socket.path)
            defer { close(descriptor) }
            let link = folder.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: URL(fileURLWithPath: "/dev/null"))
            let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            for file in [pipe, socket, link, URL(fileURLWithPath: "/dev/null"), URL(fileURLWithPath: "/dev/zero")] {
                #expect(throws: StoreError.notAStore(path: file.path), "\(file.path)") { try SQLiteStore(file: file) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
        }
    }

    @Test("maps nothing of its file into memory, on any of its connections")
    func noMap() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("store.db")
            let store = try SQLiteStore(file: file)
            let large = StoredEntry(bytes: Data(count: 1 << 20), savedAt: one.savedAt)
            try await store.insert(large, for: "key")
            #expect(try await store.retrieve("key") == large)
            for mode in [Connection.Mode.readOnly, .readWrite] {
                #expect(try Connection.patient(file.path, mode).integer("PRAGMA mmap_size") == 0)
            }
            #if os(Linux)
                let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
                #expect(!maps.split(separator: "\n").contains { $0.hasSuffix(file.path) })
            #endif
        }
    }

    /// A socket of the file system.
    private static func bind(_ path: String) throws -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                #if canImport(Glibc)
                    Glibc.bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                #else
                    Darwin.bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
                #endif
            }
        }
        try #require(code == 0)
        return descriptor
    }
}
