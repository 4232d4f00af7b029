import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Many changes that wait", .timeLimit(.minutes(5)))
struct ManyChangesTests {
    private let world = NotesWorld()

    private func create(_ numbers: Range<Int>, in notes: EditableResource<NoteChange>) async throws {
        for number in numbers { try await notes.change(.create(id: "\(number)", text: "note \(number)")) }
    }

    private func texts(_ notes: EditableResource<NoteChange>) async throws -> [String] {
        try await notes.saved()?.value.map(\.text) ?? []
    }

    @Test("are not read again for each one more")
    func readings() async throws {
        world.server.set(offline: true)
        let notes = world.notes()
        try await create(0..<300, in: notes)
        #expect(notes.queue.state.withLock { $0.readings } <= 2)
        #expect(try await texts(notes) == (0..<300).map { "note \($0)" })
        #expect(notes.queue.pending().count == 300)
    }

    @Test("are found by those that become one with them, also among those of another process")
    func coalesced() async throws {
        world.server.set(offline: true)
        let (mine, theirs) = (world.notes(), world.notes())
        try await create(0..<5, in: mine)
        try await create(5..<7, in: theirs)
        try await mine.change(.rename(id: "3", text: "three"))
        try await mine.change(.rename(id: "6", text: "six"))
        try await theirs.change(.delete(id: "0"))
        try await mine.change(.rename(id: "3", text: "III"))
        let expected = ["note 1", "note 2", "III", "note 4", "note 5", "six"]
        for notes in [mine, theirs] {
            #expect(try await texts(notes) == expected)
            #expect(try await notes.pendingChanges().count == 6)
        }
    }

    @Test("are followed by one more that is made while they are sent")
    func whileSending() async throws {
        // Groups are sent side by side: one at a time, the server has the notes in the order in which they were made.
        let (notes, other) = (world.notes(world.outbox(width: 1)), world.notes())
        try await create(0..<4, in: notes)
        try await notes.outbox.drain()
        try await notes.change(.rename(id: "2", text: "two"))
        try await other.change(.rename(id: "3", text: "three"))
        try await notes.outbox.drain()
        try await other.outbox.drain()
        let texts = try await notes.load().value.map(\.text)
        #expect(texts == ["note 0", "note 1", "two", "three"])
    }
}
