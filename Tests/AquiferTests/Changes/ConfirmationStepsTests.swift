import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The steps in which a change is confirmed", .timeLimit(.minutes(10)))
struct ConfirmationStepsTests {
    private let world = NotesWorld()

    private func process(_ queue: any CacheStore, _ values: any CacheStore) -> EditableResource<NoteChange> {
        EditableResource(
            world.resource(store: values), changes: NoteChange.self, empty: [], outbox: world.outbox(in: queue))
    }

    /// The next process shows the note once, without a connection and with one, and the server has it once.
    private func check(_ queue: RepeatingStore, _ values: any CacheStore, _ step: Comment) async throws {
        let values = try await NotesWorld.copy(values)
        let notes = process(queue, values)
        world.server.set(offline: true)
        #expect(try await notes.load().value.map(\.text) == ["Milk"], step)
        world.server.set(offline: false)
        // The lease of the process that was killed ends.
        world.pass(31)
        try await notes.outbox.drain()
        #expect(try await notes.load().value.map(\.text) == ["Milk"], step)
        #expect(world.server.notes.map(\.text) == ["Milk"], step)
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        #expect(try await notes.load().value.map(\.text) == ["Milk"], step)
        #expect(try await notes.pendingChanges().isEmpty, step)
        world.server.set(offline: true)
        let last = try await process(queue, values).load()
        #expect(last.value.map(\.text) == ["Milk"] && last.pending.isEmpty, step)
        world.server.set(offline: false)
    }

    @Test("A note is shown once after a kill at each: the answer in the item, the saved value, the deleted item")
    func killedAfterEach() async throws {
        let (queue, values) = (FaultyStore(RepeatingStore()), RepeatingStore())
        let notes = process(queue, values)
        try await notes.change(.create(id: "own", text: "Milk"))

        // The answer is written into the item. Nothing is merged yet.
        let queued = try await NotesWorld.copy(queue)
        queue.forgetCalls()
        try await notes.outbox.drain()
        #expect(try await values.entries().isEmpty)
        let answered = try await NotesWorld.kills(queued, queue.calls)
        #expect(answered.count >= 2, "it is noted as tried before it is noted as confirmed")
        let last = try #require(answered.last)
        #expect(try await process(last, values).pendingChanges().isEmpty, "the answer is in the item")

        // It is merged into the saved value. The item is still there.
        world.pass(1)
        #expect(try await notes.load().value.map(\.text) == ["Milk"])
        #expect(try await values.retrieve("notes") != nil)
        let merged = try await NotesWorld.copy(queue)

        // The item is deleted.
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        queue.forgetCalls()
        #expect(try await notes.load().value.map(\.text) == ["Milk"])
        let deleted = try await NotesWorld.kills(merged, queue.calls)
        #expect(!deleted.isEmpty, "the item is deleted once the saved value has it")

        // The clock goes on with each of them.
        let unmerged = RepeatingStore()
        for (number, queue) in answered.enumerated() {
            try await check(queue, unmerged, "kill \(number) of the answer")
        }
        try await check(merged, values, "kill after the merge")
        for (number, queue) in deleted.enumerated() { try await check(queue, values, "kill \(number) of the deletion") }
    }
}
