import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A resource that its user changes", .timeLimit(.minutes(10)))
struct EditableResourceTests {
    private func texts(_ loaded: Loaded<[NoteRow]>?) -> [String]? { loaded?.value.map(\.text) }

    // MARK: Shown

    @Test("A change is shown at once over the latest value, and marked as pending")
    func shownAtOnce() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk", version: "\"1\"")] }
        let notes = world.notes()
        var updates = notes.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        _ = try await notes.load()
        _ = await updates.next()
        world.server.set(offline: true)
        let id = try await notes.change(.rename(id: "1", text: "Oat milk"), label: "Rename")?.id
        let shown = try #require(await updates.next()?.flatMap { $0 })
        #expect(texts(shown) == ["Oat milk"])
        #expect(shown.source == .remote)
        let pending = try #require(shown.pending.first)
        #expect(pending.id == id && pending.target == "1" && pending.label == "Rename")
        #expect(pending.state == .waiting && pending.isShown)
    }

    @Test("Changes are shown after a restart, offline, over the saved copy, and never expire")
    func restart() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = world.notes()
        _ = try await notes.load()
        world.server.set(offline: true)
        try await notes.change(.create(id: "new", text: "Eggs"))
        let second = world.notes()
        let loaded = try await second.load()
        #expect(texts(loaded) == ["Milk", "Eggs"])
        #expect(loaded.pending.map(\.target) == ["new"])
        // The copy expires, the change does not.
        world.pass(30 * 86_400)
        let third = try await world.notes().load()
        #expect(texts(third) == ["Eggs"])
        guard case .pendingOnly(because: .connectivity?) = third.source else {
            Issue.record("\(third.source)")
            return
        }
        var updates = world.notes().updates.makeAsyncIterator()
        let state = try #require(await updates.next()?.flatMap { $0 })
        #expect(texts(state) == ["Eggs"] && state.source == .pendingOnly(because: nil))
    }

    @MainActor @Test("A screen whose copy is deleted shows the changes alone until it appears again, and loads then")
    func lostCopy() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = world.notes()
        let model = ResourceModel(notes)
        await model.appear()
        world.server.set(offline: true)
        try await notes.change(.create(id: "new", text: "Eggs"))
        #expect(await eventually { model.value?.count == 2 })
        try await world.values.delete("notes")
        #expect(await eventually { model.value?.map(\.text) == ["Eggs"] })
        #expect(model.phase == .idle)
        await model.appear()
        #expect(
            model.phase == .loaded && model.source == .pendingOnly(because: .connectivity(TransportError(.offline))))
        world.server.set(offline: false)
        await model.refresh()
        #expect(model.value?.map(\.text) == ["Milk", "Eggs"] && model.phase == .loaded)
    }

    @Test("A change of another process is shown, and shown as confirmed when that one has sent it")
    func otherProcess() async throws {
        let world = NotesWorld()
        let (mine, theirs) = (world.notes(), world.notes())
        var updates = mine.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        try await theirs.change(.create(id: "new", text: "Eggs"))
        let shown = await wait(&updates) { $0.value.count == 1 }
        #expect(shown?.pending.count == 1)
        try await theirs.outbox.drain()
        let confirmed = await wait(&updates) {
            $0.pending.isEmpty
        } each: {
            #expect($0.value.count == 1)
        }
        #expect(confirmed?.value.map(\.id) == ["101"])
    }

    // MARK: Replayed

    @Test("What others change in other fields stays visible under a pending change")
    func replayed() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        world.server.edit { $0[0].tag = "cold" }
        let loaded = try await notes.load()
        #expect(loaded.value == [NoteRow(id: "1", text: "Oat milk", tag: "cold")])
    }

    @Test("A change that no longer applies loses its prediction only: it is told, and sent")
    func noLongerApplies() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk"), NoteRow(id: "2", text: "Eggs")] }
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.tag(id: "2", tag: "a"))
        try await notes.change(.rename(id: "1", text: "Oat milk"))
        try await notes.change(.tag(id: "2", tag: "b"), key: "k")
        world.server.edit { $0.removeFirst() }
        let loaded = try await notes.load()
        #expect(loaded.value == [NoteRow(id: "2", text: "Eggs", tag: "b")])
        #expect(loaded.pending.map(\.obstacle) == [nil, "there is no note 1", nil])
        try await notes.outbox.drain()
        let after = try await notes.load()
        #expect(after.pending.map(\.target) == ["1"])
        #expect(after.pending.first?.refusal == .server(status: 404, words: "no such note"))
    }

    // MARK: Confirmed

    @Test("A confirmed change stays over an older answer that arrives late, until a load that began after it")
    func lateAnswer() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let client = ScriptedHTTPClient()
        let resource = world.resource(client: client)
        let notes = EditableResource(resource, changes: NoteChange.self, empty: [], outbox: world.outbox())
        var updates = notes.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        // The load begins before the change, and its answer comes after it was confirmed.
        let loading = Task { try await notes.load() }
        let exchange = await client.exchange(0)
        world.pass(1)
        try await notes.change(.create(id: "new", text: "Eggs"))
        try await notes.outbox.drain()
        world.pass(1)
        exchange.start(status: 200)
        exchange.send(try JSONEncoder().encode([NoteRow(id: "1", text: "Milk")]))
        exchange.finish()
        let late = try await loading.value
        #expect(late.value.map(\.text) == ["Milk", "Eggs"] && late.pending.isEmpty)
        let seen = await wait(&updates) {
            $0.source == .remote
        } each: {
            #expect($0.value.contains { $0.text == "Eggs" })
        }
        #expect(seen?.value.map(\.text) == ["Milk", "Eggs"])
        // A load that begins now shows what the server says, whatever that is.
        let second = Task { try await notes.load() }
        let next = await client.exchange(1)
        next.start(status: 200)
        next.send(try JSONEncoder().encode([NoteRow(id: "1", text: "Milk")]))
        next.finish()
        #expect(try await second.value.value.map(\.text) == ["Milk"])
    }

    @Test("A confirmed change is shown after a restart, offline, and is removed when a load has shown it")
    func confirmedAfterRestart() async throws {
        let world = NotesWorld()
        let notes = world.notes()
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.create(id: "new", text: "Eggs"))
        try await notes.outbox.drain()
        #expect(try await notes.outbox.items().isEmpty)
        world.server.set(offline: true)
        let offline = try await world.notes().load()
        #expect(texts(offline) == ["Eggs"] && offline.pending.isEmpty)
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        world.server.set(offline: false)
        let last = world.notes()
        #expect(texts(try await last.load()) == ["Eggs"])
        let keys = try await world.queue.contents().entries.map(\.key)
        #expect(!keys.contains { $0.hasPrefix("item:") }, "\(keys)")
        #expect(texts(try await world.notes().load()) == ["Eggs"])
    }

    @Test("A power loss takes no confirmed change: it is removed only after the saved value was made to last")
    func persists() async throws {
        let world = NotesWorld()
        let store = PersistCounting(world.values)
        let notes = EditableResource(
            world.resource(store: store), changes: NoteChange.self, empty: [], outbox: world.outbox())
        _ = try await notes.load()
        try await notes.change(.create(id: "new", text: "Eggs"))
        try await notes.outbox.drain()
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        store.fails = true
        _ = try await notes.load()
        #expect(try await world.queue.contents().entries.contains { $0.key.hasPrefix("item:") })
        store.fails = false
        _ = try await notes.load()
        #expect(try await !world.queue.contents().entries.contains { $0.key.hasPrefix("item:") })
    }

    @Test("A value that could not be saved removes no confirmed change: it is shown after a restart, too")
    func unsavedValue() async throws {
        let world = NotesWorld()
        let store = FaultyStore(world.values)
        let notes = EditableResource(
            world.resource(store: store), changes: NoteChange.self, empty: [], outbox: world.outbox())
        _ = try await notes.load()
        world.pass(1)
        try await notes.change(.create(id: "new", text: "Eggs"))
        try await notes.outbox.drain()
        world.pass(ChangeQueue<NoteChange>.grace + 1)
        store.fail(.save, with: .full(path: "/disk"))
        #expect(try await notes.load().saveError != nil)
        world.server.set(offline: true)
        #expect(try await world.notes().load().value.map(\.text) == ["Eggs"])
    }

    @Test("A queue that cannot be read hides no value: it says that it may lack changes, until they can be read again")
    func unreadQueue() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        try await world.notes().change(.create(id: "new", text: "Eggs"))
        let queue = FaultyStore(world.queue)
        queue.fail(.retrieve, .contents, .update, with: .full(path: "/disk"))
        let notes = world.notes(world.outbox(in: queue))
        var updates = notes.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        let loaded = try await notes.load()
        #expect(loaded.value.map(\.text) == ["Milk"] && loaded.source == .remote)
        #expect(loaded.pendingError == .full(path: "/disk"))
        let told = await wait(&updates) { !$0.value.isEmpty }
        #expect(told?.pendingError == .full(path: "/disk"))
        queue.heal(.retrieve, .contents, .update)
        world.pass(1)
        let whole = await wait(&updates) { $0.pendingError == nil }
        #expect(whole?.value.map(\.text) == ["Milk", "Eggs"])
    }

    @Test("After a logout nothing of the user is shown, and a value that is denied shows the user's own changes only")
    func logoutAndDenial() async throws {
        let world = NotesWorld()
        let scope = Scope("user/1", in: world.values)
        let outbox = world.outbox(in: scope.store)
        let notes = EditableResource(
            world.resource(store: scope.store), changes: NoteChange.self, empty: [], outbox: outbox)
        var updates = notes.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        _ = try await notes.load()
        try await notes.change(.create(id: "new", text: "Eggs"))
        let shown = await wait(&updates) { $0.value.count == 2 }
        #expect(shown != nil)
        world.server.set { request in request.method == .get ? .status(403) : nil }
        await #expect(throws: LoadError.self) { try await notes.load() }
        let denied = await wait(&updates) { $0.value.count == 1 }
        #expect(denied?.value.map(\.text) == ["Eggs"])
        try await scope.end(unsent: .discard)
        while let state = await updates.next(), state != nil {}
    }

    // MARK: Edited

    @Test("Changes that were never tried become one, and a creation and its deletion become none")
    func coalesced() async throws {
        let world = NotesWorld()
        world.server.set(offline: true)
        let notes = world.notes()
        let id = try await notes.change(.create(id: "a", text: "Milk"))?.id
        #expect(try await notes.change(.rename(id: "a", text: "Oat milk"))?.id == id)
        // An attempt without a connection is none.
        try await notes.outbox.drain()
        #expect(try await notes.change(.rename(id: "a", text: "Soy milk"))?.id == id)
        try await notes.change(.create(id: "b", text: "Eggs"))
        #expect(try await notes.change(.delete(id: "b")) == nil)
        world.server.set(offline: false)
        await notes.outbox.retryAll()
        try await notes.outbox.drain()
        #expect(world.server.log == ["create 101 Soy milk"])
    }

    @Test("What was tried is followed, never rewritten: a deletion follows a post whose answer was lost")
    func tried() async throws {
        let world = NotesWorld()
        let notes = world.notes()
        world.server.set { request in
            guard request.method == .post else { return nil }
            _ = world.server.reply(request)
            return .failure(TransportError(.interrupted))
        }
        let id = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        try await notes.outbox.drain()
        #expect(world.server.log == ["create 101 Milk"])
        // Another process, after a restart.
        let second = world.notes()
        await #expect(throws: OutboxError.self) { try await second.discard(id) }
        await #expect(throws: OutboxError.self) { try await second.edit(id, to: .create(id: "a", text: "x")) }
        try await second.change(.delete(id: "a"))
        #expect(try await second.saved()?.value == [])
        world.server.set { _ in nil }
        await second.outbox.retryAll()
        try await second.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "delete 101"])
    }

    @Test("A refused change is shown with the server's words, and can be edited, sent again and discarded")
    func refused() async throws {
        let world = NotesWorld()
        world.server.set { request in request.method == .post ? .status(422, [:], "too short") : nil }
        let notes = world.notes()
        let id = try #require(try await notes.change(.create(id: "a", text: "M"))).id
        try await notes.outbox.drain()
        try await notes.change(.tag(id: "a", tag: "cold"))
        let loaded = try await notes.load()
        #expect(loaded.value == [NoteRow(id: "a", text: "M", tag: "cold")])
        #expect(loaded.pending.map(\.refusal) == [.server(status: 422, words: "too short"), nil])
        #expect(loaded.pending.map(\.heldBackBy) == [nil, id])
        try await notes.edit(id, to: .create(id: "a", text: "Milk"))
        world.server.set { _ in nil }
        try await notes.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "edit 101 cold"])
        // And discarded.
        world.server.set { request in request.method == .post ? .status(422) : nil }
        let other = try #require(try await notes.change(.create(id: "b", text: "x"))).id
        try await notes.outbox.drain()
        try await notes.discard(other)
        #expect(try await notes.pendingChanges().isEmpty)
    }

    @Test("An answer is judged for the change that it answers: what one kind is sent by refuses another")
    func verdictOfChange() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk"), NoteRow(id: "2", text: "Eggs")] }
        world.server.set { $0.method == .patch ? .status(410) : nil }
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.tag(id: "1", tag: "cold"))
        let rename = try #require(try await notes.change(.rename(id: "2", text: "Ten eggs"))).id
        #expect(try await notes.outbox.drain() == Outbox.Report(sent: 1, refused: 1))
        #expect(try await notes.pendingChanges().map(\.item.id) == [rename])
    }

    @Test("A deletion whose answer was lost, and which then finds nothing, is confirmed")
    func deletedTwice() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk")] }
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.delete(id: "1"))
        world.server.set { [server = world.server] request in
            server.edit { $0 = [] }
            return request.method == .delete ? .silence : nil
        }
        try await notes.outbox.drain()
        world.server.set { _ in nil }
        await notes.outbox.retryAll()
        #expect(try await notes.outbox.drain().sent == 1)
        #expect(try await notes.load().value.isEmpty)
        #expect(try await notes.pendingChanges().isEmpty)
    }

    @Test("A 401 pauses all sending of the host: nothing is refused, and keys and order are kept")
    func unauthorized() async throws {
        let world = NotesWorld()
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk"), NoteRow(id: "2", text: "Eggs")] }
        let notes = world.notes()
        _ = try await notes.load()
        world.server.set { request in request.method == .get ? nil : .status(401) }
        try await notes.change(.rename(id: "1", text: "a"), key: "k1")
        try await notes.change(.rename(id: "1", text: "b"), key: "k2")
        try await notes.outbox.drain()
        try await notes.change(.rename(id: "2", text: "c"), key: "k3")
        let report = try await notes.outbox.drain()
        #expect(report.refused == 0 && report.sent == 0)
        let loaded = try await notes.load()
        #expect(loaded.value.map(\.text) == ["b", "c"])
        #expect(loaded.pending.map(\.refusal) == [nil, nil, nil])
        #expect(loaded.pending.map(\.canBeEdited) == [true, true, true])
        let tried = world.server.keys
        #expect(Set(tried) == ["k1"], "one item has met the 401, and the others of the host wait")
        world.server.set { _ in nil }
        await notes.outbox.connectionRestored()
        await notes.outbox.retryAll()
        try await notes.outbox.drain()
        #expect(world.server.log.sorted() == ["edit 1 a", "edit 1 b", "edit 2 c"])
        #expect(world.server.log.filter { $0.hasPrefix("edit 1") } == ["edit 1 a", "edit 1 b"])
        #expect(world.server.keys.dropFirst(tried.count).sorted() == ["k1", "k2", "k3"])
    }
}

/// A store whose `persist` fails on demand.
private final class PersistCounting: ForwardingStore, @unchecked Sendable {
    let base: any CacheStore
    private let isFailing = Locked(false)
    var fails: Bool {
        get { isFailing.withLock { $0 } }
        set { isFailing.withLock { $0 = newValue } }
    }

    init(_ base: any CacheStore) { self.base = base }

    func persist() async throws(StoreError) {
        if fails { throw .failed(operation: "persist", reason: "test") }
    }
}
