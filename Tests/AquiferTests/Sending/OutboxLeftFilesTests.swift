import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Files that were queued and whose items are gone", .timeLimit(.minutes(10)))
struct OutboxLeftFilesTests {
    /// A queue of three files.
    private func withThreeFiles(
        _ body: (_ world: OutboxWorld, _ folder: URL, _ request: HTTPRequest) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { place in
            let (file, folder) = (place.appending(path: "clip.mp3"), place.appending(path: "attachments"))
            try Data("sound".utf8).write(to: file)
            let world = OutboxWorld()
            var request = world.note("")
            request.body = HTTPBody(parts: [.file(file, offset: 0, length: 5)])
            for _ in 1...3 { try await world.outbox(attachments: folder).enqueue(request) }
            try await body(world, folder, request)
        }
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// A store that holds what this one does.
    private func copy(_ store: any CacheStore) async throws -> MemoryStore {
        let copy = MemoryStore()
        for summary in try await store.entries() {
            try await copy.insert(try #require(try await store.retrieve(summary.key)), for: summary.key)
        }
        return copy
    }

    @Test("stay when the store was emptied, whatever is done then, and are told by every process, with their folder")
    func emptied() async throws {
        try await withThreeFiles { _, folder, request in
            let files = try names(folder)
            let world = OutboxWorld()
            for count in 1...3 {
                let outbox = world.outbox(attachments: folder)
                #expect(try await outbox.items() == [])
                #expect(try await outbox.enqueue(request).id > Outbox.ID(number: 3))
                #expect(try await outbox.drain().sent == 1)
                #expect(try names(folder) == files, "process \(count)")
                let told = Outbox.Notice.attachmentsWithoutItems(count: 3, folder: folder.path)
                #expect(outbox.notices.contains(told))
                #expect("\(told)".contains("3 files") && "\(told)".contains(folder.path))
            }
        }
    }

    @Test("share no number with what is queued before anyone has looked")
    func queuedFirst() async throws {
        try await withThreeFiles { _, folder, request in
            let files = try names(folder)
            let world = OutboxWorld()
            #expect(try await world.outbox(attachments: folder).enqueue(request).id > Outbox.ID(number: 3))
            #expect(try await world.outbox(attachments: folder).drain().sent == 1)
            #expect(try names(folder) == files)
        }
    }

    @Test("stay when an older store comes back, and give no number away", arguments: [true, false])
    func olderStore(isQueuedFirst: Bool) async throws {
        try await withThreeFiles { world, folder, request in
            let older = OutboxWorld(store: try await copy(world.store))
            for _ in 4...6 { try await world.outbox(attachments: folder).enqueue(request) }
            let files = try names(folder)
            if isQueuedFirst {
                #expect(try await older.outbox(attachments: folder).enqueue(request).id > Outbox.ID(number: 6))
            }
            let outbox = older.outbox(attachments: folder)
            #expect(try await outbox.items().count == (isQueuedFirst ? 4 : 3))
            #expect(try await outbox.drain().failed == 0)
            _ = try await older.outbox(attachments: folder).items()
            #expect(try names(folder) == files.filter { !["1", "2", "3"].contains($0.prefix(1)) })
            #expect(outbox.notices.contains(.attachmentsWithoutItems(count: 3, folder: folder.path)))
        }
    }

    @Test("stay when their item was lost with the counter, and files of items that are there go when those are sent")
    func lostWithTheCounter() async throws {
        try await withThreeFiles { world, folder, _ in
            let files = try names(folder)
            try await world.store.delete("counter")
            try await world.store.delete("item:00000000000000000002")
            let outbox = world.outbox(attachments: folder)
            #expect(try await outbox.items().count == 2)
            #expect(try names(folder) == files)
            #expect(try await outbox.drain().sent == 2)
            _ = try await world.outbox(attachments: folder).items()
            #expect(try names(folder) == files.filter { $0.hasPrefix("2.") })
            #expect(outbox.notices.contains(.attachmentsWithoutItems(count: 1, folder: folder.path)))
        }
    }

    @Test("and were sent or discarded are swept as ever once new items have their numbers from a counter that is whole")
    func sweptAboveTheMend() async throws {
        try await withThreeFiles { _, folder, request in
            let world = OutboxWorld()
            let item = try await world.outbox(attachments: folder).enqueue(request)
            let next = try await world.outbox(attachments: folder).enqueue(request)
            // As a process leaves it that was killed between the item and its file.
            for id in [item.id, next.id] { try Data().write(to: folder.appending(path: "\(id).X-1.0")) }
            _ = try await world.outbox().discard(item.id)
            _ = try await world.outbox(attachments: folder).items()
            let left = try names(folder)
            #expect(left.count { $0.hasPrefix("\(item.id).") } == 0)
            #expect(left.count { $0.hasPrefix("\(next.id).") } == 1)
            #expect(left.count == 4)
        }
    }

    @Test("are told of no healthy queue")
    func healthy() async throws {
        try await withThreeFiles { world, folder, _ in
            let outbox = world.outbox(attachments: folder)
            let report = try await outbox.drain()
            #expect(report.sent == 3)
            #expect(try names(folder) == [])
            #expect(outbox.notices == [])
        }
    }

    @Test("are left where they are when their name says a number that no outbox gives")
    func absurdNumbers() async throws {
        try await withThreeFiles { world, folder, request in
            let absurd = ["18446744073709551615.X-1.0", "4611686018427387904.X-1.0", "99999999999999999999.X-1.0"]
            for name in absurd { try Data().write(to: folder.appending(path: name)) }
            let outbox = world.outbox(attachments: folder)
            #expect(try await outbox.enqueue(request).id == Outbox.ID(number: 4))
            #expect(try await outbox.drain().sent == 4)
            #expect(try names(folder) == absurd.sorted())
        }
    }

    @Test("because it was damaged and discarded go with it, and no others")
    func discardedDamage() async throws {
        try await withThreeFiles { world, folder, _ in
            let id = Outbox.ID(number: 2)
            let key = "item:00000000000000000002"
            try await world.store.insert(StoredEntry(bytes: Data("x".utf8), savedAt: world.date.now), for: key)
            #expect(try await world.outbox(attachments: folder).discard(id) != nil)
            let left = try names(folder)
            #expect(left.count == 2 && !left.contains { $0.hasPrefix("2.") })
        }
    }
}
