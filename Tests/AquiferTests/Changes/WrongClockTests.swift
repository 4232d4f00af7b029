import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Confirmed changes and a wrong clock", .timeLimit(.minutes(10)))
struct WrongClockTests {
    /// A note that this user has renamed while the clock was eight days ahead; it is right now.
    private func renamed(_ world: NotesWorld) async throws {
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk", version: "\"1\"")] }
        world.pass(8 * 86_400)
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.rename(id: "1", text: "Mine"))
        try await notes.outbox.drain()
        world.date.advance(by: -8 * 86_400 + 60)
    }

    @Test("What others have changed since is shown by each new process, once the clock is right again")
    func newProcesses() async throws {
        let world = NotesWorld()
        try await renamed(world)
        world.server.renameByOthers("1", "Theirs")
        for _ in 0..<4 {
            world.date.advance(by: 3600)
            let loaded = try await world.notes().load()
            #expect(loaded.value.map(\.text) == ["Theirs"] && loaded.source == .remote)
        }
    }

    @Test("What others have changed since is shown by the process that has confirmed it, too")
    func sameProcess() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk", version: "\"1\"")] }
        world.pass(8 * 86_400)
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.rename(id: "1", text: "Mine"))
        try await notes.outbox.drain()
        world.date.advance(by: -8 * 86_400)
        world.server.renameByOthers("1", "Theirs")
        #expect(try await notes.load().value.map(\.text) == ["Theirs"])
    }

    @Test("An answer that was asked for before is older, and hides no confirmed change")
    func olderAnswer() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        world.pass(8 * 86_400)
        let client = ScriptedHTTPClient()
        let notes = EditableResource(
            world.resource(client: client), changes: NoteChange.self, empty: [], outbox: world.outbox())
        let loading = Task { try await notes.load() }
        let exchange = await client.exchange(0)
        try await notes.change(.rename(id: "1", text: "Mine"))
        try await notes.outbox.drain()
        world.date.advance(by: -8 * 86_400)
        exchange.respond(body: try JSONEncoder().encode([NoteRow(id: "1", text: "Milk")]))
        #expect(try await loading.value.value.map(\.text) == ["Mine"])
    }
}
