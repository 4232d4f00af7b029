import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Changes under attack: what is shown", .timeLimit(.minutes(10)))
struct ShownUnderAttackTests {
    @Test("A local change of the saved value hides no confirmed change")
    func amended() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let resource = world.resource()
        let notes = EditableResource(resource, changes: NoteChange.self, empty: [], outbox: world.outbox())
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.outbox.drain()
        world.pass(1)
        try await resource.cache.amend { $0 + [NoteRow(id: "2", text: "Eggs")] }
        #expect(try await notes.saved()?.value.map(\.text) == ["Oat milk", "Eggs"])
        world.pass(1)
        try await resource.cache.update(restamping: { old in
            ((old?.value ?? []) + [NoteRow(id: "3", text: "Ham")], old?.savedAt ?? world.date.now)
        })
        #expect(try await notes.saved()?.value.map(\.text) == ["Oat milk", "Eggs", "Ham"])
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        world.server.set(offline: true)
        #expect(try await notes.load().value.map(\.text) == ["Oat milk", "Eggs", "Ham"])
        #expect(try await world.notes().load().value.map(\.text) == ["Oat milk", "Eggs", "Ham"])
    }

    @Test("A foreign edit that a load has shown stays shown when the saved value is changed here")
    func foreignThenAmended() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let resource = world.resource()
        let notes = EditableResource(resource, changes: NoteChange.self, empty: [], outbox: world.outbox())
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.outbox.drain()
        world.pass(1)
        world.server.renameByOthers("1", "Soy milk")
        #expect(try await notes.load().value.map(\.text) == ["Soy milk"])
        world.pass(1)
        try await resource.cache.amend { $0 + [NoteRow(id: "2", text: "Eggs")] }
        #expect(try await notes.saved()?.value.map(\.text) == ["Soy milk", "Eggs"])
    }

    /// Notes that the server does not allow to be saved.
    private func unsaved(_ world: NotesWorld) -> EditableResource<NoteChange> {
        world.server.set { request in
            guard request.method == .get, case .answer(_, _, let body) = world.server.reply(request) else { return nil }
            return .answer(headers: ["Cache-Control": "no-store"], body: body)
        }
        let remote = RemoteLoader<[NoteRow]>(HTTPRequest(.get, NoteChange.url), client: world.server.client()) {
            _, body in try JSONDecoder().decode([NoteRow].self, from: body)
        }
        let cache = Cache<[NoteRow]>(
            key: "notes", in: world.values, policy: CachePolicy(follows: .server), now: world.date.read)
        return EditableResource(
            Resource(remote: remote, cache: cache, clock: world.clock), changes: NoteChange.self, empty: [],
            outbox: world.outbox())
    }

    @Test("Who follows a value that may not be saved is shown the server's newest, as the load is")
    func noStoreFollowed() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = unsaved(world)
        var updates = notes.updates.makeAsyncIterator()
        _ = await updates.next()
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.outbox.drain()
        _ = await wait(&updates) { $0.pending.isEmpty && $0.value.first?.text == "Oat milk" }
        world.pass(1)
        world.server.renameByOthers("1", "Soy milk")
        #expect(try await notes.load().value.map(\.text) == ["Soy milk"])
        #expect(await updates.next()??.value.map(\.text) == ["Soy milk"])
    }

    @Test("A value that could not be saved removes no confirmed change, also while somebody follows")
    func unsavedWhileFollowed() async throws {
        let world = NotesWorld()
        let (rows, isOffline) = (Locked([String]()), Locked(false))
        let client = ScriptedHTTPClient { request in
            if isOffline.withLock({ $0 }) { return .failure(TransportError(.offline)) }
            if request.method == .post { return .answer(status: 201, body: Data("77".utf8)) }
            return .answer(body: (try? JSONEncoder().encode(rows.withLock { $0 })) ?? Data())
        }
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, NoteChange.url), client: client) { _, body in
            try JSONDecoder().decode([String].self, from: body)
        }
        let store = FaultyStore(world.values)
        func make() -> EditableResource<ListChange> {
            EditableResource(
                Resource(
                    remote: remote, cache: Cache(key: "lists", in: store, now: world.date.read), clock: world.clock),
                changes: ListChange.self, empty: [], outbox: world.outbox(client: client))
        }
        let lists = make()
        var updates = lists.updates.makeAsyncIterator()
        _ = await updates.next()
        _ = try await lists.load()
        world.pass(1)
        try await lists.change(.list(id: "L", title: "Food"))
        try await lists.outbox.drain()
        rows.withLock { $0 = ["list 77", "list 78"] }
        world.pass(ChangeQueue<ListChange>.grace + 1)
        store.fail(.save, with: .full(path: "/disk"))
        #expect(try await lists.load().saveError != nil)
        while let state = await updates.next(), state?.value.contains("list 78") != true {}
        // What the state above has begun beside it is done once more, to its end.
        await lists.queue.settle()
        isOffline.withLock { $0 = true }
        #expect(try await make().load().value == ["list 77"])
    }

    @Test("While a newer value waits for the answer to a creation, no row goes that only the newer one has by itself")
    func heldValue() async throws {
        let world = NotesWorld()
        let client = ScriptedHTTPClient { request in
            request.headers["Idempotency-Key"] == "slow" ? .held : world.server.reply(request)
        }
        let notes = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(client: client))
        var updates = notes.updates.makeAsyncIterator()
        _ = await updates.next()
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.create(id: "a", text: "Milk"))
        try await notes.outbox.drain()
        _ = await wait(&updates) { $0.value.count == 1 && $0.pending.isEmpty }
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        try await notes.change(.create(id: "b", text: "Eggs"), key: "slow")
        let sending = Task { try await notes.outbox.drain() }
        let post = await client.exchange(1)
        _ = await wait(&updates) { if case .sending? = $0.pending.first?.state { true } else { false } }
        _ = try await notes.load()
        _ = try await notes.load()
        try await notes.change(.create(id: "c", text: "Ham"))
        let during = await wait(&updates) { $0.value.count >= 2 }
        #expect(during?.value.contains { $0.text == "Milk" } == true, "\(String(describing: during))")
        guard case .answer(let status, let headers, let body) = world.server.reply(post.request) else { return }
        post.respond(status: status, headers: headers, body: body)
        _ = try await sending.value
        let after = await wait(&updates) {
            $0.pending.isEmpty
        } each: { state in
            #expect(state.value.map(\.text).sorted() == ["Eggs", "Ham", "Milk"])
        }
        #expect(after?.value.count == 3)
        // Nothing is left for ever.
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        _ = try await notes.load()
        let keys = try await world.queue.contents().entries.map(\.key)
        #expect(!keys.contains { $0.hasPrefix("item:") }, "\(keys)")
    }

    @Test("A value that may not be saved does not keep confirmed changes for ever")
    func noStore() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = unsaved(world)
        for number in 1...3 {
            _ = try await notes.load()
            try await notes.change(.rename(id: "1", text: "\(number)"))
            try await notes.outbox.drain()
            world.pass(1)
            #expect(try await notes.load().value.map(\.text) == ["\(number)"])
            world.pass(1)
        }
        world.server.set(offline: true)
        world.pass(20 * 86_400)
        world.server.set(offline: false)
        let last = unsaved(world)
        #expect(try await last.load().value.map(\.text) == ["3"])
        let keys = try await world.queue.contents().entries.map(\.key)
        #expect(!keys.contains { $0.hasPrefix("item:") }, "\(keys)")
    }

    @Test("An invalidation takes no pending and no confirmed change away")
    func invalidated() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = world.notes()
        var updates = notes.updates.makeAsyncIterator()
        _ = await updates.next()
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.outbox.drain()
        try await notes.change(.tag(id: "1", tag: "cold"))
        try await notes.resource.invalidate()
        world.server.set(offline: true)
        let shown = try await notes.load()
        #expect(shown.value.map(\.text) == ["Oat milk"] && shown.value.map(\.tag) == ["cold"])
        let state = await wait(&updates) { $0.value.first?.tag == "cold" }
        #expect(state?.value.map(\.text) == ["Oat milk"])
    }

    @Test("An older answer that arrives after the clock was set back does not hide a confirmed change")
    func clockSetBack() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let client = ScriptedHTTPClient()
        let notes = EditableResource(
            world.resource(client: client), changes: NoteChange.self, empty: [], outbox: world.outbox())
        let loading = Task { try await notes.load() }
        let exchange = await client.exchange(0)
        world.date.advance(by: -10)
        try await notes.change(.create(id: "new", text: "Eggs"))
        try await notes.outbox.drain()
        world.pass(1)
        exchange.start(status: 200)
        exchange.send(try JSONEncoder().encode([NoteRow(id: "1", text: "Milk")]))
        exchange.finish()
        #expect(try await loading.value.value.map(\.text) == ["Milk", "Eggs"])
        world.pass(30)
        #expect(try await notes.saved()?.value.map(\.text) == ["Milk", "Eggs"])
    }

    @Test(
        "A user who opens a screen while a creation is being sent is shown the newest value, not an older one",
        arguments: [false, true])
    func newestOnOpening(isKnownToBeSent: Bool) async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let client = ScriptedHTTPClient { request in request.method == .post ? .held : world.server.reply(request) }
        let notes = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(client: client))
        _ = try await notes.load()
        do {
            var updates = notes.updates.makeAsyncIterator()
            #expect(await updates.next()??.value.map(\.text) == ["Milk"])
        }
        world.server.edit { $0[0].text = "Soy milk" }
        world.pass(1)
        _ = try await notes.load()
        try await notes.change(.create(id: "new", text: "Eggs"))
        let sending = Task { try await notes.outbox.drain() }
        let post = await client.exchange(0)
        if isKnownToBeSent { _ = try await notes.saved() }
        var updates = notes.updates.makeAsyncIterator()
        #expect(await updates.next()??.value.map(\.text) == ["Soy milk", "Eggs"])
        post.fail(TransportError(.interrupted))
        _ = try await sending.value
    }

    @Test("Damage of one item hides no other change, and no value")
    func damagedItem() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk"), NoteRow(id: "2", text: "Eggs")] }
        let notes = world.notes()
        _ = try await notes.load()
        world.server.set(offline: true)
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.change(.rename(id: "2", text: "Egg"))
        let keys = try await world.queue.contents().entries.map(\.key).filter { $0.hasPrefix("item:") }.sorted()
        try await world.queue.insert(StoredEntry(bytes: Data("{".utf8), savedAt: world.date.now), for: keys[0])
        let second = world.notes()
        #expect(try await second.load().value.map(\.text) == ["Milk", "Egg"])
        #expect(try await second.outbox.items().count == 2)
    }

    @Test("A thousand changes are made, shown after a restart, and sent in order")
    func thousand() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = (0..<100).map { NoteRow(id: "\($0)", text: "") } }
        let notes = world.notes()
        _ = try await notes.load()
        for number in 0..<1_000 {
            try await notes.change(.rename(id: "\(number % 100)", text: "\(number)"), key: "k\(number)")
        }
        let second = world.notes()
        let loaded = try await second.load()
        #expect(loaded.pending.count == 1_000)
        #expect(loaded.value.map(\.text) == (900..<1_000).map { "\($0)" })
        try await second.outbox.drain()
        #expect(world.server.notes.map(\.text) == (900..<1_000).map { "\($0)" })
        #expect(try await second.pendingChanges().isEmpty)
    }
}
