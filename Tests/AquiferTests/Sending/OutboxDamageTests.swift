import Aquifer
import AquiferTesting
import Foundation
import Testing

@Suite("Damage in the outbox", .timeLimit(.minutes(10)))
struct OutboxDamageTests {
    /// Queues five notes in a store of files, damages the third one, and opens the outbox anew.
    private func withDamage(
        _ damage: (inout Data) -> Void, _ body: (OutboxWorld, Outbox) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder.appending(path: "store"))
            let world = OutboxWorld(store: store)
            let writer = world.outbox()
            for number in 1...5 { try await writer.enqueue(world.note("\(number)"), group: "g") }
            let path = store.path(of: "item:00000000000000000003")
            var bytes = try Data(contentsOf: URL(filePath: path))
            damage(&bytes)
            try bytes.write(to: URL(filePath: path))
            try await body(world, world.outbox())
        }
    }

    @Test(
        "is set aside and told, the others go on, and it can be discarded",
        arguments: [(10, "its header"), (30, "its header"), (-20, "its bytes")])
    func damagedItem(place: Int, what: String) async throws {
        try await withDamage { bytes in
            bytes[place < 0 ? bytes.count + place : place] ^= 0x10
        } _: { world, outbox in
            #expect(try await outbox.drain().sent == 4, "\(what) was damaged")
            #expect(world.server.taken == ["1", "2", "4", "5"])
            let left = try #require(try await outbox.items().first)
            #expect(left.id == Outbox.ID(number: 3))
            guard case .damaged = left.state else {
                Issue.record("\(left.state)")
                return
            }
            let refused = await failure { () async throws(OutboxError) in try await outbox.retry(left.id) }
            guard case .damaged(left.id, _)? = refused else {
                Issue.record("is \(String(describing: refused))")
                return
            }
            #expect("\(try #require(refused))".hasSuffix("it can only be discarded"))
            // A later process reports it, too.
            #expect(try await world.outbox().items().count == 1)
            try await outbox.discard(left.id)
            #expect(try await world.outbox().items() == [])
        }
    }

    @Test("of an item that is cut short is told, too")
    func shortItem() async throws {
        try await withDamage {
            $0 = $0.prefix(20)
        } _: { world, outbox in
            let report = try await outbox.drain()
            let left = try await outbox.items()
            #expect(report.sent == 4 && left.count == 1)
        }
    }

    @Test("that befalls an item while it is known is told")
    func damagedLater() async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder.appending(path: "store"))
            let world = OutboxWorld(store: store)
            let outbox = world.outbox()
            try await outbox.enqueue(world.note("one"))
            _ = try await outbox.items()
            let path = store.path(of: "item:00000000000000000001")
            try Data("no entry".utf8).write(to: URL(filePath: path))
            #expect(try await outbox.drain().sent == 0)
            guard case .damaged? = try await outbox.standing().first else {
                Issue.record("not told")
                return
            }
        }
    }

    @Test("of an entry that is whole, and no item of this version, is set aside")
    func foreignItem() async throws {
        let world = OutboxWorld()
        try await world.outbox().enqueue(world.note("one"))
        try await world.store.insert(
            StoredEntry(bytes: Data(#"{"version":1}"#.utf8), savedAt: world.date.now), for: "item:00000000000000000001")
        try await world.outbox().enqueue(world.note("two"))
        let outbox = world.outbox()
        #expect(try await outbox.drain().sent == 1)
        #expect(try await outbox.standing() == [.damaged("not an item of this version")])
    }

    @Test(
        "of the counter is mended: what is queued later comes later, and no number is used again",
        arguments: [true, false])
    func damagedCounter(isReadable: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder.appending(path: "store"))
            let world = OutboxWorld(store: store)
            for number in 1...3 { try await world.outbox().enqueue(world.note("\(number)"), group: "g") }
            if isReadable {
                try await store.insert(StoredEntry(bytes: Data("?".utf8), savedAt: world.date.now), for: "counter")
            } else {
                try Data("no entry".utf8).write(to: URL(filePath: store.path(of: "counter")))
            }
            let outbox = world.outbox()
            _ = try await outbox.items()
            try await outbox.enqueue(world.note("4"), group: "g")
            #expect(try await outbox.drain().sent == 4)
            #expect(world.server.taken == ["1", "2", "3", "4"])
        }
    }

    @Test("of the counter of an empty queue is told, and no number is used again", arguments: [true, false])
    func damagedCounterOfNothing(isReadable: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder.appending(path: "store"))
            let world = OutboxWorld(store: store)
            for number in 1...3 { try await world.outbox().enqueue(world.note("\(number)")) }
            #expect(try await world.outbox().drain().sent == 3)
            if isReadable {
                try await store.insert(StoredEntry(bytes: Data("?".utf8), savedAt: world.date.now), for: "counter")
            } else {
                try Data("no entry".utf8).write(to: URL(filePath: store.path(of: "counter")))
            }
            let outbox = world.outbox()
            #expect(try await outbox.enqueue(world.note("4")).id.number > 3)
            #expect(outbox.notices == [.counterMended(items: 0)])
            #expect(try await outbox.drain().sent == 1)
        }
    }
}
