import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// A list with its items, or a change of them.
enum ListChange: PendingChange, Hashable {
    case list(id: String, title: String)
    case item(id: String, list: String)

    var target: String {
        switch self {
        case .list(let id, _), .item(let id, _): id
        }
    }
    /// A list and its items are sent one after another.
    var group: String {
        switch self {
        case .list(let id, _): id
        case .item(_, let list): list
        }
    }
    func apply(to rows: inout [String]) throws {
        let row =
            switch self {
            case .list(let id, _): "list \(id)"
            case .item(let id, let list): "item \(id) of \(list)"
            }
        if !rows.contains(row) { rows.append(row) }
    }
    func request(version: String?) throws -> HTTPRequest {
        let all = URL(string: "http://lists.example/lists")!
        switch self {
        case .list(_, let title): return HTTPRequest(.post, all, body: .bytes(Data(title.utf8)))
        case .item(_, let list):
            return HTTPRequest(.post, all.appending(path: list).appending(path: "items"), body: .bytes(Data(list.utf8)))
        }
    }
    func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<ListChange> {
        let id = String(decoding: answer.body, as: UTF8.self)
        return ChangeConfirmation(replacingIDs { $0 == target ? id : $0 }, id: id)
    }
    func isShown(in rows: [String]) -> Bool? {
        if case .list(let id, _) = self { rows.contains("list \(id)") } else { nil }
    }
    func replacingIDs(_ real: (String) -> String) -> ListChange {
        switch self {
        case .list(let id, let title): .list(id: real(id), title: title)
        case .item(let id, let list): .item(id: real(id), list: real(list))
        }
    }
}

@Suite("Groups and ids of changes", .timeLimit(.minutes(10)))
struct ChangeGroupTests {
    @Test(
        "A new list and its items have one group: the items wait for the list's id",
        arguments: ["L", "Ünïcödé/%2F ?#💧"])
    func listAndItems(list: String) async throws {
        let world = NotesWorld()
        let client = ScriptedHTTPClient()
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, NoteChange.url), client: client) { _, _ in [] }
        func make() -> EditableResource<ListChange> {
            EditableResource(
                Resource(remote: remote, cache: Cache(key: "lists", in: world.values, now: world.date.read)),
                changes: ListChange.self, empty: [], outbox: world.outbox(client: client))
        }
        let lists = make()
        try await lists.change(.list(id: list, title: "Food"))
        try await lists.change(.item(id: "i1", list: list))
        try await lists.change(.item(id: "i2", list: list))
        let restarted = make()
        let sending = Task { try await restarted.outbox.drain() }
        let first = await client.exchange(0)
        #expect(first.request.url.path() == "/lists")
        // An item that was sent before its list was there would name the list by the app's id below.
        first.respond(status: 201, body: Data("77".utf8))
        for number in 1...2 {
            let next = await client.exchange(number)
            #expect(next.request.url.path() == "/lists/77/items")
            next.respond(status: 201, body: Data("\(100 + number)".utf8))
        }
        _ = try await sending.value
        #expect(try await restarted.pendingChanges().isEmpty)
        #expect(restarted.serverID(of: list) == "77")
        // A screen that has only the server's id.
        try await lists.change(.item(id: "i3", list: "77"))
        #expect(try await lists.outbox.items().first?.group == list)
    }

    @Test("Changes of one id in two resources do not wait for each other")
    func twoResources() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let outbox = world.outbox()
        let notes = EditableResource(world.resource(), changes: NoteChange.self, empty: [], outbox: outbox, name: "a")
        let others = EditableResource(world.resource(), changes: NoteChange.self, empty: [], outbox: outbox, name: "b")
        world.server.set { request in request.headers["Idempotency-Key"] == "bad" ? .status(422) : nil }
        try await notes.change(.rename(id: "1", text: "a"), key: "bad")
        try await others.change(.tag(id: "1", tag: "b"), key: "good")
        try await outbox.drain()
        #expect(world.server.log == ["edit 1 b"])
    }

    @Test("Changes that are kept when a scope ends know the ids of the server in the next login")
    func keptIDs() async throws {
        let world = NotesWorld()
        func login() -> (Scope, EditableResource<NoteChange>) {
            let scope = Scope("user/1", in: world.values)
            return (
                scope,
                EditableResource(
                    world.resource(store: scope.store), changes: NoteChange.self, empty: [],
                    outbox: world.outbox(in: scope.store))
            )
        }
        let (scope, notes) = login()
        _ = try await notes.load()
        try await notes.change(.create(id: "new", text: "Milk"), key: "k1")
        try await notes.change(.rename(id: "new", text: "Oat milk"), key: "k2")
        world.server.set { request in request.method == .patch ? .failure(TransportError(.cannotConnect)) : nil }
        try await notes.outbox.drain()
        #expect(world.server.log == ["create 101 Milk"])
        try await scope.end(unsent: .keep)
        world.server.set { _ in nil }
        let (_, again) = login()
        let loaded = try await again.load()
        #expect(loaded.value.map(\.text) == ["Oat milk"] && loaded.pending.map(\.target) == ["101"])
        await again.outbox.retryAll()
        try await again.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "edit 101 Oat milk"])
    }

    @Test("The end of a scope while a change is being sent: nothing is shown or sent after it, and nothing hangs")
    func endDuringSending() async throws {
        let world = NotesWorld()
        let client = ScriptedHTTPClient { request in request.method == .post ? .held : world.server.reply(request) }
        let scope = Scope("user/1", in: world.values)
        let notes = EditableResource(
            world.resource(store: scope.store), changes: NoteChange.self, empty: [],
            outbox: world.outbox(in: scope.store, client: client))
        try await notes.change(.create(id: "new", text: "Milk"))
        let sending = Task { await notes.outbox.run() }
        let post = await client.exchange(0)
        try await scope.end(unsent: .keep)
        await post.waitForCancellation()
        await sending.value
        await #expect(throws: OutboxError.self) { try await notes.change(.rename(id: "new", text: "x")) }
        let next = Scope("user/1", in: world.values)
        let again = EditableResource(
            world.resource(store: next.store), changes: NoteChange.self, empty: [],
            outbox: world.outbox(in: next.store))
        #expect(try await again.load().value.map(\.text) == ["Milk"])
        // It may have arrived: it is not taken back, and a deletion follows it.
        try await again.change(.delete(id: "new"))
        world.pass(60)
        await again.outbox.retryAll()
        try await again.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "delete 101"])
    }

    @Test("Two processes that edit one change at once lose none of the edits")
    func twoEditors() async throws {
        for round in 0..<50 {
            let world = NotesWorld()
            world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
            let (mine, theirs) = (world.notes(), world.notes())
            _ = try await mine.load()
            _ = try await theirs.load()
            try await mine.change(.rename(id: "1", text: "0"))
            async let first = mine.change(.tag(id: "1", tag: "t\(round)"))
            async let second = theirs.change(.rename(id: "1", text: "r\(round)"))
            _ = try await (first, second)
            async let one = mine.outbox.drain()
            async let other = theirs.outbox.drain()
            _ = try await (one, other)
            #expect(world.server.notes.map(\.text) == ["r\(round)"] && world.server.notes.map(\.tag) == ["t\(round)"])
        }
    }
}
