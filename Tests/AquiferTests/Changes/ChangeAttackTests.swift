import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Changes under attack: sending, rewriting and damage", .timeLimit(.minutes(10)))
struct ChangeAttackTests {
    private func milk(_ world: NotesWorld) {
        world.server.edit { $0 = [NoteRow(id: "1", text: "Milk", version: "\"v\"")] }
    }

    // MARK: Tried

    @Test("A change whose sending was cancelled half-way was tried: a deletion follows it")
    func cancelledHalfWay() async throws {
        let world = NotesWorld()
        let client = ScriptedHTTPClient { request in request.method == .post ? .held : world.server.reply(request) }
        let notes = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(client: client))
        let id = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        let sending = Task { try await notes.outbox.drain() }
        let post = await client.exchange(0)
        post.takeBody(5)
        sending.cancel()
        _ = try? await sending.value
        // The server reads what it has as a whole.
        _ = world.server.reply(post.request)
        await #expect(throws: OutboxError.self) { try await notes.discard(id) }
        await #expect(throws: OutboxError.self) { try await notes.edit(id, to: .create(id: "a", text: "x")) }
        try await notes.change(.delete(id: "a"))
        let second = world.notes()
        try await second.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "delete 101"])
    }

    @Test("An edit that comes while the item is being claimed is shown at once, and sent")
    func editDuringClaim() async throws {
        let world = NotesWorld()
        let store = SlowClaims(world.queue)
        let outbox = world.outbox(in: store)
        let notes = EditableResource(world.resource(), changes: NoteChange.self, empty: [], outbox: outbox)
        _ = try await notes.load()
        var updates = notes.updates.makeAsyncIterator()
        _ = await updates.next()
        let id = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        _ = try await outbox.items()
        store.hold()
        let sending = Task { try await outbox.drain() }
        await store.waitUntilHeld()
        #expect(try await notes.change(.rename(id: "a", text: "Oat milk"))?.id == id)
        #expect(try await notes.load().value.map(\.text) == ["Oat milk"])
        #expect(try await notes.saved()?.value.map(\.text) == ["Oat milk"])
        store.release()
        _ = try await sending.value
        #expect(world.server.log == ["create 101 Oat milk"])
        #expect(try await notes.load().value.map(\.text) == ["Oat milk"])
    }

    @Test("A change with a key keeps it: it becomes one with no other")
    func ownKey() async throws {
        let world = NotesWorld()
        milk(world)
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.rename(id: "1", text: "a"), key: "mine")
        try await notes.change(.rename(id: "1", text: "b"))
        #expect(try await notes.outbox.items().map(\.key).first == "mine")
        try await notes.outbox.drain()
        #expect(world.server.log == ["edit 1 a", "edit 1 b"])
    }

    @Test("A 401 in the middle of a group keeps the keys and the order, and the change can still be edited")
    func unauthorizedInTheMiddle() async throws {
        let world = NotesWorld()
        milk(world)
        let (asked, isOut) = (Locked([String]()), Locked(false))
        world.server.set { request in
            guard let key = request.headers["Idempotency-Key"] else { return nil }
            asked.withLock { $0.append(key) }
            if key == "k2" && isOut.withLock({ $0 }) { return .status(401) }
            return nil
        }
        let notes = world.notes()
        _ = try await notes.load()
        for number in 1...4 { try await notes.change(.rename(id: "1", text: "\(number)"), key: "k\(number)") }
        isOut.withLock { $0 = true }
        try await notes.outbox.drain()
        #expect(asked.withLock { $0 } == ["k1", "k2"])
        #expect(try await notes.pendingChanges().allSatisfy { $0.item.refusal == nil })
        #expect(try await notes.pendingChanges().allSatisfy { $0.item.canBeEdited })
        let second = world.notes()
        #expect(try await second.load().value.map(\.text) == ["4"])
        isOut.withLock { $0 = false }
        await second.outbox.retryAll()
        try await second.outbox.drain()
        #expect(asked.withLock { $0 } == ["k1", "k2", "k2", "k3", "k4"])
        #expect(world.server.log == (1...4).map { "edit 1 \($0)" })
    }

    // MARK: Versions

    @Test("Edits behind one another arrive although the facts of their target are damaged", arguments: [true, false])
    func damagedFacts(isDeleted: Bool) async throws {
        let world = NotesWorld()
        milk(world)
        let notes = world.notes()
        _ = try await notes.load()
        try await notes.change(.rename(id: "1", text: "0"))
        try await notes.outbox.drain()
        for number in 1...5 { try await notes.change(.rename(id: "1", text: "\(number)"), key: "k\(number)") }
        let keys = try await world.queue.contents().entries.map(\.key).filter { $0.hasPrefix("target:") }
        #expect(keys.count == 1)
        for key in keys {
            if isDeleted {
                try await world.queue.delete(key)
            } else {
                try await world.queue.insert(StoredEntry(bytes: Data("?".utf8), savedAt: world.date.now), for: key)
            }
        }
        let second = world.notes()
        try await second.outbox.drain()
        #expect(world.server.log == (0...5).map { "edit 1 \($0)" })
        #expect(try await second.pendingChanges().isEmpty)
    }

    @Test("A creation whose outcome could not be saved is sent again as it was, under its key")
    func creationSentAgain() async throws {
        let world = NotesWorld()
        let store = NoConfirmation(world.queue)
        let client = world.server.client()
        let notes = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(in: store, client: client))
        try await notes.change(.create(id: "a", text: "Milk"))
        store.fails = true
        _ = try? await notes.outbox.drain()
        store.fails = false
        let second = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(in: store, client: client))
        world.pass(60)
        try await second.outbox.drain()
        let posts = client.requests.filter { $0.method == .post }
        #expect(posts.count == 2)
        #expect(posts.allSatisfy { $0.headers["If-Match"] == nil })
        #expect(posts.first?.headers == posts.last?.headers)
        #expect(world.server.log == ["create 101 Milk"])
    }

    @Test("Facts that cannot be read for a moment lose no id")
    func unreadableFacts() async throws {
        let world = NotesWorld()
        let store = NoConfirmation(world.queue)
        let notes = EditableResource(
            world.resource(), changes: NoteChange.self, empty: [], outbox: world.outbox(in: store))
        try await notes.change(.create(id: "a", text: "Milk"))
        try await notes.outbox.drain()
        try await notes.change(.rename(id: "a", text: "Oat milk"), key: "k1")
        try await notes.change(.delete(id: "a"), key: "k2")
        store.isUnreadable = true
        _ = try? await notes.outbox.drain()
        store.isUnreadable = false
        let second = world.notes()
        world.pass(60)
        try await second.outbox.drain()
        #expect(world.server.log == ["create 101 Milk", "edit 101 Oat milk", "delete 101"])
        #expect(try await second.pendingChanges().isEmpty)
    }

    @Test("Without a connection there is nothing to choose from: an older copy is no version of the server's")
    func conflictOffline() async throws {
        let world = NotesWorld()
        milk(world)
        let notes = world.notes()
        _ = try await notes.load()
        let id = try #require(try await notes.change(.rename(id: "1", text: "Oat milk"))).id
        world.server.renameByOthers("1", "Soy milk")
        try await notes.outbox.drain()
        world.server.set(offline: true)
        await #expect(throws: LoadError.self) { try await notes.conflict(of: id) }
        await #expect(throws: OutboxError.self) { try await notes.keepMine(id) }
        #expect(try await notes.pendingChanges().first?.item.isConflict == true)
        world.server.set(offline: false)
        #expect(try await notes.conflict(of: id)?.theirs?.text == "Soy milk")
        try await notes.keepMine(id)
        try await notes.outbox.drain()
        #expect(world.server.notes.map(\.text) == ["Oat milk"])
    }

    @Test("A change in a cancelled task is made over the version that the user saw, or not at all")
    func cancelledTask() async throws {
        let world = NotesWorld()
        milk(world)
        _ = try await world.notes().load()
        let notes = world.notes()
        let made = await Task { () -> Bool in
            withUnsafeCurrentTask { $0?.cancel() }
            return (try? await notes.change(.rename(id: "1", text: "Oat milk"))) != nil
        }.value
        world.server.renameByOthers("1", "Soy milk")
        try await notes.outbox.drain()
        #expect(world.server.notes.map(\.text) == ["Soy milk"])
        #expect(try await notes.pendingChanges().map(\.item.isConflict) == (made ? [true] : []))
    }

    @Test("A creation that may have arrived is not made a second time by its user's word")
    func keptCreation() async throws {
        let world = NotesWorld()
        let notes = world.notes()
        _ = try await notes.load()
        let id = try #require(try await notes.change(.create(id: "a", text: "Milk"))).id
        let count = Locked(0)
        world.server.set { [server = world.server] request in
            guard request.method == .post else { return nil }
            let attempt = count.withLock { count in
                count += 1
                return count
            }
            if attempt == 1 { _ = server.carryOut(request) }
            return attempt == 1 ? .failure(TransportError(.interrupted)) : attempt == 2 ? .answer(status: 403) : nil
        }
        try await notes.outbox.drain()
        world.pass(1000)
        #expect(try await notes.outbox.drain().refused == 1)
        await #expect(throws: OutboxError.self) { try await notes.keepMine(id) }
        try await notes.outbox.drain()
        #expect(world.server.log == ["create 101 Milk"])
    }
}

/// A store that holds the first change of an item on demand.
private final class SlowClaims: ForwardingStore, Sendable {
    let base: any CacheStore
    private let isOn = Locked(false)
    private let held = Gate()
    private let released = Gate()

    init(_ base: any CacheStore) { self.base = base }

    func hold() { isOn.withLock { $0 = true } }
    func release() { released.open() }
    func waitUntilHeld() async { await held.wait() }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let isFirst = isOn.withLock { isOn in
            defer { if key.hasPrefix("item:") { isOn = false } }
            return isOn && key.hasPrefix("item:")
        }
        if isFirst {
            held.open()
            await released.wait()
        }
        try await base.update(key, decide)
    }
}

/// A store that saves no confirmation of an item, or cannot read the facts, on demand.
private final class NoConfirmation: ForwardingStore, Sendable {
    let base: any CacheStore
    private let isFailing = Locked(false)
    var fails: Bool {
        get { isFailing.withLock { $0 } }
        set { isFailing.withLock { $0 = newValue } }
    }

    private let isHiding = Locked(false)
    var isUnreadable: Bool {
        get { isHiding.withLock { $0 } }
        set { isHiding.withLock { $0 = newValue } }
    }

    init(_ base: any CacheStore) { self.base = base }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let isUnreadable = isUnreadable && key.hasPrefix("target:")
        try await base.update(key) { found throws(StoreError) in
            let change = try decide(isUnreadable ? .failure(.failed(operation: "read", reason: "I/O error")) : found)
            if self.fails, key.hasPrefix("item:"), case .replace(let entry) = change,
                entry.validators.lastModified == "confirmed"
            {
                throw .full(path: "/disk")
            }
            return change
        }
    }
}
