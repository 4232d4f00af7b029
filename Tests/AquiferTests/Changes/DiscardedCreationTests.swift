import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A creation that is taken back", .timeLimit(.minutes(10)))
struct DiscardedCreationTests {
    @Test("What was built on a refused creation goes with it, is told, and is never sent")
    func refused() async throws {
        let world = NotesWorld()
        world.server.set { $0.method == .post ? .status(422, [:], "no") : nil }
        let notes = world.notes()
        let creation = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        try await notes.outbox.drain()
        let rename = try #require(try await notes.change(.rename(id: "a", text: "Oat milk"))).id
        let tag = try #require(try await notes.change(.tag(id: "a", tag: "cold"))).id
        let other = try #require(try await notes.change(.create(id: "b", text: "Eggs"))).id
        #expect(try await notes.pendingChanges().map(\.item.heldBackBy) == [nil, creation, creation, nil])
        #expect(try await notes.discard(creation) == [rename, tag])
        #expect(try await notes.pendingChanges().map(\.item.id) == [other])
        let sent = world.server.keys.count
        world.server.set { _ in nil }
        try await notes.outbox.drain()
        #expect(world.server.keys.count == sent + 1 && world.server.notes.map(\.text) == ["Eggs"])
        #expect(try await notes.pendingChanges().isEmpty)
    }

    @Test("A refused change of something that the server has takes nothing with it")
    func noCreation() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        world.server.set { $0.method == .patch ? .status(422, [:], "no") : nil }
        let notes = world.notes()
        _ = try await notes.load()
        let rename = try #require(try await notes.change(.rename(id: "1", text: "Oat milk"))).id
        try await notes.outbox.drain()
        try await notes.change(.tag(id: "1", tag: "cold"))
        world.server.set { _ in nil }
        #expect(try await notes.discard(rename) == [])
        try await notes.outbox.drain()
        #expect(world.server.notes.map(\.tag) == ["cold"])
    }

    @Test("After a kill between any two of its writes, the creation holds back what is left, and nothing of it is sent")
    func killedInBetween() async throws {
        let world = NotesWorld()
        let queue = FaultyStore(RepeatingStore())
        world.server.set { $0.method == .post ? .status(422, [:], "no") : nil }
        let notes = world.notes(world.outbox(in: queue))
        let creation = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        try await notes.outbox.drain()
        try await notes.change(.rename(id: "a", text: "Oat milk"))
        try await notes.change(.tag(id: "a", tag: "cold"))
        let before = try await NotesWorld.copy(queue)
        queue.forgetCalls()
        #expect(try await notes.discard(creation).count == 2)
        let sent = world.server.keys.count
        var numbers: [Int] = []
        for store in try await NotesWorld.kills(before, queue.calls) {
            let next = world.notes(world.outbox(in: store))
            try await next.outbox.drain()
            let left = try await next.pendingChanges().map(\.item)
            #expect(left.isEmpty || left[0].id == creation)
            #expect(left.dropFirst().allSatisfy { $0.heldBackBy == creation })
            numbers.append(left.count)
        }
        #expect(numbers.contains(2) && numbers.contains(1) && numbers.last == 0, "\(numbers)")
        #expect(world.server.keys.count == sent)
    }
}
