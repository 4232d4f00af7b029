import Aquifer
import AquiferTesting
import EveryBit
import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("A quota holds when everything comes at once", .timeLimit(.minutes(10)))
struct UserQuotaTests {
    /// The bytes of the files below a folder.
    private func kept(_ folder: URL) -> Int {
        let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return names.reduce(0) { sum, name in
            let facts = POSIX.status(folder.appending(path: name).path)
            return sum + (facts?.kind == .file ? facts?.size ?? 0 : 0)
        }
    }

    private func withUploads(
        bound: UInt64, _ body: (Uploads, URL) async throws -> Void
    ) async throws {
        try await Fixture.withFolder { folder in
            let quota = UserQuota(bound: bound, MemoryStore(), folder: folder)
            try await body(Uploads(folder.appending(path: "uploads"), quota: quota), folder)
        }
    }

    @Test("Twenty uploads at once keep no more than the bound, and as many as have room", arguments: [true, false])
    func uploads(isAnnounced: Bool) async throws {
        try await withUploads(bound: 5_000) { uploads, folder in
            let taken = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let body = ServerRequestBody([Data(count: 2_000)])
                        return (try? await uploads.take(body, limit: 10_000, announced: isAnnounced ? 2_000 : nil))
                            != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(taken == 2)
            #expect(kept(folder) == 4_000)
        }
    }

    @Test("Uploads that grow at the same time share the room, and those that are refused leave nothing")
    func growing() async throws {
        try await withUploads(bound: 5_000) { uploads, folder in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        // A refused one is what is tested.
                        _ = try? await uploads.take(
                            ServerRequestBody(Array(repeating: Data(count: 500), count: 4)), limit: 10_000)
                    }
                }
            }
            #expect(kept(folder) <= 5_000)
            // The room of those that were refused has been given back.
            let left = 5_000 - kept(folder)
            _ = try await uploads.take(ServerRequestBody([Data(count: left)]), limit: 10_000)
            await #expect(throws: UploadRefusal.self) {
                try await uploads.take(ServerRequestBody([Data(count: 1)]), limit: 10_000)
            }
        }
    }

    @Test("An upload that fails gives its room back at once")
    func givenBack() async throws {
        try await withUploads(bound: 5_000) { uploads, folder in
            for _ in 0..<3 {
                await #expect(throws: UploadRefusal.self) {
                    try await uploads.take(ServerRequestBody([Data(count: 4_000)]), limit: 3_000, announced: 4_000)
                }
            }
            #expect(kept(folder) == 0)
            _ = try await uploads.take(ServerRequestBody([Data(count: 5_000)]), limit: 10_000, announced: 5_000)
        }
    }

    @Test("Uploads count where replicas keep them as well: beside those of other users, in a folder of the process")
    func copies() async throws {
        try await Fixture.withFolder { folder in
            let copies = OwnFolder(folder.appending(path: "copies"))
            func uploads() -> Uploads {
                let user = UserID.random()
                let quota = UserQuota(bound: 5_000, MemoryStore(), folder: folder.appending(path: user.text))
                return Uploads(in: copies, of: user, quota: quota)
            }
            let (ana, bruno) = (uploads(), uploads())
            let first = try await ana.take(ServerRequestBody([Data(count: 3_000)]), limit: 10_000)
            // A file with a name of its own is counted as well.
            let second = try await bruno.take(ServerRequestBody([Data(count: 3_000)]), limit: 10_000, named: "a.mp3")
            for other in [ana, bruno] {
                await #expect(throws: UploadRefusal.self) {
                    try await other.take(ServerRequestBody([Data(count: 3_000)]), limit: 10_000)
                }
            }
            // Neither removes a file of the other one.
            ana.remove(second)
            #expect(kept(folder) == 6_000)
            ana.remove(first)
            bruno.remove(second)
            #expect(kept(folder) == 0)
            _ = try await ana.take(ServerRequestBody([Data(count: 5_000)]), limit: 10_000)
        }
    }

    @Test("An entry that may have been made keeps its room until what is kept is measured anew")
    func uncertain() async throws {
        let inner = FaultyStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let quota = UserQuota(bound: 5_000, inner, folder: folder)
        let store = QuotaStore(inner, quota)
        let entry = StoredEntry(bytes: Data(count: 3_000), savedAt: Date(timeIntervalSince1970: 0))
        let doubt = StoreError.uncertain(operation: "save", reason: "the connection broke")
        inner.fail(.save, with: doubt)
        await #expect(throws: doubt) { try await store.insert(entry, for: "key") }
        let reservation = try await quota.reservation()
        #expect(!reservation.tryAdd(2_500))
        // It was not made.
        #expect(try await reservation.add(2_500))
    }

    @Test("Twenty entries at once keep no more than the bound; a failed one gives its room back")
    func entries() async throws {
        let inner = MemoryStore()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let store = QuotaStore(inner, UserQuota(bound: 5_000, inner, folder: folder))
        let entry = StoredEntry(bytes: Data(count: 2_000), savedAt: Date(timeIntervalSince1970: 0))
        let taken = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask { (try? await store.insert(entry, for: "\(number)")) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 2)
        #expect(try await inner.contents().entries.count == 2)
        for found in try await inner.contents().entries { try await store.delete(found.key) }
        try await store.insert(entry, for: "a")
        try await store.insert(entry, for: "b")
        await #expect(throws: StoreError.self) { try await store.insert(entry, for: "c") }
    }
}
