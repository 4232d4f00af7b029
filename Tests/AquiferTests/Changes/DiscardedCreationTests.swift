import AquiferConcurrency
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
        let discarded = try await notes.discard(creation)
        #expect(discarded.builtOn == [rename, tag] && !discarded.mayHaveArrived)
        #expect(try await notes.pendingChanges().map(\.item.id) == [other])
        let sent = world.server.keys.count
        world.server.set { _ in nil }
        try await notes.outbox.drain()
        #expect(world.server.keys.count == sent + 1 && world.server.notes.map(\.text) == ["Eggs"])
        #expect(try await notes.pendingChanges().isEmpty)
    }

    @Test("One that may have arrived before it was refused is told as such, and what was built on it goes with it")
    func mayHaveArrived() async throws {
        let world = NotesWorld()
        let notes = world.notes()
        let creation = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        let isSecond = Locked(false)
        world.server.set { [server = world.server] request in
            if isSecond.withLock({ $0 }) { return request.method == .post ? .answer(status: 403) : nil }
            isSecond.withLock { $0 = true }
            _ = server.carryOut(request)
            return .failure(TransportError(.interrupted))
        }
        try await notes.outbox.drain()
        let tag = try #require(try await notes.change(.tag(id: "a", tag: "cold"))).id
        await #expect(throws: OutboxError.self) { try await notes.discard(creation) }
        #expect(try await notes.pendingChanges().map(\.item.id) == [creation, tag], "nothing is lost by that")
        world.pass(1000)
        try await notes.outbox.drain()
        let discarded = try await notes.discard(creation)
        #expect(discarded.builtOn == [tag])
        #expect(discarded.mayHaveArrived)
        #expect(world.server.notes.map(\.text) == ["Milk"])
        #expect(try await notes.load().value.map(\.text) == ["Milk"], "a load shows what has arrived")
        #expect(try await notes.pendingChanges().isEmpty)
    }

    @Test("What names it in its group goes with it, and so does what was built on that; what names another one is sent")
    func namedByOthers() async throws {
        let world = NotesWorld()
        let isRefusing = Locked(true)
        let client = ScriptedHTTPClient { request in
            isRefusing.withLock { $0 } ? .status(422) : .answer(status: 201, body: Data(request.text.utf8))
        }
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, NoteChange.url), client: client) { _, _ in [] }
        let folders = EditableResource(
            Resource(remote: remote, cache: Cache(key: "folders", in: world.values, now: world.date.read)),
            changes: FolderChange.self, empty: [], outbox: world.outbox(client: client))
        let folder = try #require(try await folders.change(FolderChange(id: "f", group: "f", isCreation: true))).id
        try await folders.outbox.drain()
        var others: [Outbox.ID] = []
        for change in [
            FolderChange(id: "i", parent: "f", group: "f", isCreation: true),
            FolderChange(id: "i", text: "renamed", group: "f"),
            FolderChange(id: "x", parent: "g", group: "f", isCreation: true),
            FolderChange(id: "c", parent: "i", group: "f"),
        ] {
            others.append(try #require(try await folders.change(change)).id)
        }
        #expect(try await folders.discard(folder).builtOn == [others[0], others[1], others[3]])
        #expect(try await folders.pendingChanges().map(\.item.id) == [others[2]])
        isRefusing.withLock { $0 = false }
        try await folders.outbox.drain()
        #expect(client.requests.map(\.text) == ["f ", "x "])
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
        #expect(try await notes.discard(rename).builtOn == [])
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
        #expect(try await notes.discard(creation).builtOn.count == 2)
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

/// A folder, something in it, or a change of it.
private struct FolderChange: PendingChange {
    var id: String
    var text = ""
    var parent: String?
    var group: String
    var isCreation = false

    var target: String { id }

    func apply(to rows: inout [String]) throws { if !rows.contains(id) { rows.append(id) } }

    func request(version: String?) throws -> HTTPRequest {
        let url = URL(string: "http://folders.example/")!.appending(path: parent ?? "all")
        return HTTPRequest(.post, url, body: .bytes(Data("\(id) \(text)".utf8)))
    }

    func replacingIDs(_ real: (String) -> String) -> FolderChange {
        FolderChange(id: real(id), text: text, parent: parent.map { real($0) }, group: group, isCreation: isCreation)
    }
}
