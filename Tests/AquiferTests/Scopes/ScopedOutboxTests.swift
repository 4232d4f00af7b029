import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A scope with unsent changes", .timeLimit(.minutes(10)))
struct ScopedOutboxTests {
    private let world = OutboxWorld()
    private let base = RepeatingStore()

    private func scope() -> Scope { Scope("user", in: base) }

    private func outbox(_ scope: Scope, attachments: URL? = nil, _ around: ((any CacheStore) -> any CacheStore)? = nil)
        -> Outbox
    {
        Outbox(
            in: around?(scope.store) ?? scope.store, attachments: attachments, client: world.server.client,
            policy: world.policy())
    }

    /// A scope with two unsent notes and a saved value.
    private func filled() async throws -> Scope {
        let scope = scope()
        world.server.rule { _, _ in .silence }
        let outbox = outbox(scope)
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text), group: "notes") }
        try await scope.store.insert(.sample(1), for: "contacts")
        return scope
    }

    @Test("does not end without a choice, and says how many they are; it goes on as before")
    func noChoice() async throws {
        let scope = try await filled()
        await #expect(throws: ScopeError.unsent(2)) { try await scope.end() }
        #expect(try await scope.store.retrieve("contacts") == .sample(1))
        #expect(try await outbox(scope).items().count == 2)
        #expect(
            ScopeError.unsent(2).description == "2 changes have not been sent; send them, keep them or discard them")
    }

    @Test(
        "takes no entry of an app for one, whose key only begins like an item's",
        arguments: ["item:42", "item:+7", "item:x"])
    func noItem(key: String) async throws {
        let scope = scope()
        try await scope.store.insert(.sample(1), for: key)
        let outbox = outbox(scope)
        try await outbox.enqueue(world.note("one"))
        #expect(try await outbox.standing() == [.waiting] && outbox.notices.isEmpty)
        try await scope.end(unsent: .keep)
        let next = self.scope()
        #expect(try await next.store.retrieve(key) == nil)
        #expect(try await self.outbox(next).drain().sent == 1)
        try await next.store.insert(.sample(1), for: key)
        try await next.end()
    }

    @Test("discards them when it is told to, with their files")
    func discard() async throws {
        try await TemporaryFolder.with { folder in
            let scope = try await filled()
            let attachments = folder.appendingPathComponent("attachments")
            try await scope.deleteAtEnd(attachments, isForUnsent: true)
            let file = folder.appendingPathComponent("original")
            try Data("sound".utf8).write(to: file)
            var note = world.note("with a file")
            note.body = HTTPBody(parts: [.file(file, offset: 0, length: 5)])
            try await outbox(scope, attachments: attachments).enqueue(note)
            await #expect(throws: ScopeError.unsent(3)) { try await scope.end() }
            try await scope.end(unsent: .discard)
            #expect(try await base.contents().entries.isEmpty)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["original"])
            #expect(try await outbox(self.scope()).items().isEmpty)
        }
    }

    @Test("discards its folder while somebody writes there, and what was written")
    func busyFolder() async throws {
        try await TemporaryFolder.with { folder in
            for round in 0..<20 {
                let place = folder.appendingPathComponent("\(round)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let scope = scope()
                try await scope.deleteAtEnd(place)
                let (isOver, count) = (Locked(false), Locked(0))
                let writer = Task.detached {
                    while !isOver.withLock(\.self) {
                        let number = count.withLock { count in
                            count += 1
                            return count
                        }
                        // Without the folder there is nothing to write to.
                        try? Data().write(to: place.appendingPathComponent("\(number)"))
                    }
                }
                #expect(await eventually { count.withLock(\.self) > 50 })
                try await scope.end(unsent: .discard)
                isOver.withLock { $0 = true }
                await writer.value
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }
    }

    @Test("leaves no file of a change that is queued after the end")
    func late() async throws {
        try await TemporaryFolder.with { folder in
            let scope = scope()
            let attachments = folder.appendingPathComponent("attachments")
            try await scope.deleteAtEnd(attachments, isForUnsent: true)
            let file = folder.appendingPathComponent("original")
            try Data("sound".utf8).write(to: file)
            var note = world.note("with a file")
            note.body = HTTPBody(parts: [.file(file, offset: 0, length: 5)])
            let outbox = outbox(scope, attachments: attachments)
            try await outbox.enqueue(note)
            try await scope.end(unsent: .discard)
            await #expect(throws: OutboxError.self) { try await outbox.enqueue(note) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["original"])
        }
    }

    @Test("keeps them for the same user alone, with their files, in their order, and nothing else")
    func keep() async throws {
        try await TemporaryFolder.with { folder in
            let scope = try await filled()
            let attachments = folder.appendingPathComponent("attachments")
            try await scope.deleteAtEnd(attachments, isForUnsent: true)
            let file = folder.appendingPathComponent("original")
            try Data("sound".utf8).write(to: file)
            var note = world.note("")
            note.body = HTTPBody(parts: [.bytes(Data("three".utf8)), .file(file, offset: 0, length: 5)])
            try await outbox(scope, attachments: attachments).enqueue(note, group: "notes")
            try await Scope("draft", in: scope.store).store.insert(.sample(2), for: "key")
            try await scope.end(unsent: .keep)
            #expect(try FileManager.default.contentsOfDirectory(atPath: attachments.path).count == 1)
            #expect(try await base.contents().entries.count == 5, "the mark, the counter and three items")
            await #expect(throws: StoreError.ended(scope: "user")) { try await outbox(scope).drain() }
            #expect(try await outbox(Scope("other", in: base)).items().isEmpty)
            try await Scope.finishEnds(in: base)

            let next = self.scope()
            world.server.heal()
            world.date.advance(by: 10_000)
            let queue = outbox(next, attachments: attachments)
            #expect(try await next.store.retrieve("contacts") == nil)
            let report = try await queue.drainToEnd()
            #expect(report.sent == 3)
            #expect(world.server.taken == ["one", "two", "three"])
            try await next.deleteAtEnd(attachments, isForUnsent: true)
            try await next.end()
            #expect(
                Set(try await base.contents().entries.map(\.key)).allSatisfy {
                    $0.hasPrefix("scope:other") || $0.hasPrefix("scope/other/")
                })
        }
    }

    @Test(
        "keeps their files also when these are in the scope's store, or in that of a scope inside, and no other entry",
        arguments: [true, false])
    func keptFilesInStore(isInside: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("song")
            // Whatever it says, it is taken for nothing else.
            try Data("place 0123456789abcdef".utf8).write(to: file)
            func outbox(_ scope: Scope, _ copies: String) throws -> Outbox {
                let copies = folder.appendingPathComponent(copies)
                try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
                let files = isInside ? Scope("files", in: scope.store).store : scope.store
                return Outbox(
                    in: scope.store, files: .store(files, copies: { copies }), client: world.server.client,
                    policy: world.policy())
            }
            let scope = scope()
            let request = HTTPRequest(.post, world.url, body: HTTPBody(parts: [.file(file, offset: 0, length: 22)]))
            try await outbox(scope, "before").enqueue(request)
            for key in ["file:report", "piece:1"] { try await scope.store.insert(.sample(1), for: key) }
            try await scope.end(unsent: .keep)
            let keys = try await base.contents().entries.map(\.key)
            #expect(!keys.contains { $0.hasSuffix("file:report") || $0.hasSuffix("piece:1") })

            let next = self.scope()
            #expect(try await outbox(next, "after").drain().sent == 1)
            try await next.end()
            #expect(try await base.contents().entries.isEmpty)
        }
    }

    @Test(
        "tells of a damaged one after the next login as before, and leaves its files", arguments: [true, false],
        [true, false])
    func damaged(isInside: Bool, isListed: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let store = DamagingStore(base: base, isListed: isListed)
            let file = folder.appendingPathComponent("song")
            try Data("song".utf8).write(to: file)
            let copies = folder.appendingPathComponent("copies")
            func outbox(_ scope: Scope) -> Outbox {
                self.outbox(isInside ? Scope("inside", in: scope.store) : scope, attachments: copies)
            }
            let scope = Scope("user", in: store)
            try await scope.deleteAtEnd(copies, isForUnsent: true)
            let request = HTTPRequest(.post, world.url, body: HTTPBody(parts: [.file(file, offset: 0, length: 4)]))
            try await outbox(scope).enqueue(request)
            try await outbox(scope).enqueue(world.note("two"))
            try await store.damage { $0.hasSuffix("item:00000000000000000001") }
            try await scope.end(unsent: .keep)

            let next = outbox(Scope("user", in: store))
            let states = try await next.items().map(\.state)
            #expect(states.count == 2 && states.last == .waiting)
            guard case .damaged? = states.first else { return _ = Issue.record("\(states)") }
            #expect(try await next.drain().sent == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path).count == 1)
            let item = try #require(try await next.items().first)
            try await next.discard(item.id)
            #expect(try FileManager.default.contentsOfDirectory(atPath: copies.path) == [])
        }
    }

    @Test("keeps those of a scope inside whose mark is damaged, and takes it for no new scope after the next login")
    func damagedMark() async throws {
        let store = DamagingStore(base: base, isListed: false)
        let scope = Scope("user", in: store)
        try await outbox(Scope("inside", in: scope.store)).enqueue(world.note("one"))
        try await store.damage { $0.hasSuffix("scope:inside") }
        try await scope.end(unsent: .keep)
        let next = Scope("user", in: store)
        await #expect(throws: StoreError.self) { try await outbox(Scope("inside", in: next.store)).items() }
        await #expect(throws: ScopeError.unsent(1)) { try await next.end() }
    }

    @Test("sends them first when it is told to, and goes on if that fails")
    func sendFirst() async throws {
        let scope = try await filled()
        scope.register(outbox(scope))
        await #expect(throws: ScopeError.unsent(2)) { try await scope.end(unsent: .sendFirst) }
        #expect(try await scope.store.retrieve("contacts") == .sample(1))
        world.server.heal()
        world.date.advance(by: 10_000)
        try await scope.end(unsent: .sendFirst)
        #expect(world.server.taken == ["one", "two"])
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test(
        "keeps them also when another process logs in at the same time, and overtakes the first login",
        arguments: [true, false])
    func overtakenLogin(isBefore: Bool) async throws {
        try await filled().end(unsent: .keep)
        let store = OvertakenStore(base: base, isBefore: isBefore) { [base] in
            try await Scope("user", in: base).open()
        }
        try await Scope("user", in: store).open()
        world.server.heal()
        world.date.advance(by: 10_000)
        #expect(try await outbox(scope()).drainToEnd().sent == 2)
        #expect(world.server.taken == ["one", "two"])
    }

    @Test("ends a transfer under way, and its outbox stops running", arguments: [false, true])
    func underWay(isTiered: Bool) async throws {
        let scope = scope()
        let client = ScriptedHTTPClient()
        let store = isTiered ? TieredStore(memory: .megabytes(1), over: scope.store) : scope.store
        let outbox = Outbox(in: store, client: client, policy: world.policy())
        try await outbox.enqueue(world.note("one"))
        let running = Task { await outbox.run() }
        let exchange = await client.exchange(0)
        try await self.scope().end(unsent: .discard)
        await exchange.waitForCancellation()
        await running.value
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test(
        "sends nothing of an outbox that was stopped before its claim, and goes on after the end",
        arguments: Scope.Unsent.allCases)
    func stoppedClaim(unsent: Scope.Unsent) async throws {
        let held = HeldStore(base: base)
        let scope = Scope("user", in: held)
        world.server.rule { _, _ in .silence }
        let outbox = outbox(scope)
        try await outbox.enqueue(world.note("one"))
        _ = try await outbox.items()
        world.server.heal()
        held.hold()
        let drain = Task { try await outbox.drain() }
        #expect(await eventually { held.waiting > 0 })
        do { try await self.scope().end(unsent: unsent) } catch {
            #expect(unsent == .sendFirst && error == .unsent(1))
            try await self.scope().end(unsent: .discard)
        }
        held.release()
        await #expect(throws: StoreError.ended(scope: "user")) { try await drain.value }
        #expect(world.server.asked.isEmpty)
        if unsent == .keep {
            #expect(try await self.outbox(self.scope()).drain().sent == 1)
            #expect(world.server.taken == ["one"])
        } else {
            #expect(try await base.contents().entries.isEmpty)
        }
    }

    @Test("sends nothing after an end elsewhere that came behind its claim, whatever copy of the mark it has")
    func stoppedBehindClaim() async throws {
        let scope = Scope("user", in: TieredStore(memory: .megabytes(1), over: DeafTruth(base: base)))
        let claims = ClaimedStore(base: scope.store) { try await self.scope().end(unsent: .discard) }
        let outbox = Outbox(in: claims, client: world.server.client, policy: world.policy())
        try await outbox.enqueue(world.note("one"))
        _ = try await scope.store.retrieve("any")
        await #expect(throws: StoreError.ended(scope: "user")) { try await outbox.drain() }
        #expect(world.server.asked.isEmpty)
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("keeps what was queued last, also when the end is cut off anywhere", arguments: 0..<14)
    func cutKeep(failing: Int) async throws {
        let cut = CutStore(base: base)
        let mine = Scope("user", in: cut)
        world.server.rule { _, _ in .silence }
        let outbox = outbox(mine)
        for text in ["one", "two"] { try await outbox.enqueue(world.note(text), group: "notes") }
        try await mine.store.insert(.sample(1), for: "contacts")
        cut.cut(after: failing)
        do { try await mine.end(unsent: .keep) } catch { #expect(error == .store(.busy(path: "cut")), "\(error)") }
        // The next login is cut off, too, before it has moved everything.
        cut.cut(after: failing)
        do { try await Scope("user", in: cut).open() } catch { #expect(error == .busy(path: "cut"), "\(error)") }
        world.server.heal()
        world.date.advance(by: 10_000)
        let next = scope()
        #expect(try await self.outbox(next).drainToEnd().sent == 2)
        #expect(world.server.taken == ["one", "two"])
        try await next.end()
        #expect(try await base.contents().entries.isEmpty)
    }
}

/// A store that does something once, before or after the first update of an item.
private final class OvertakenStore: ForwardingStore {
    let base: any CacheStore
    private let isBefore: Bool
    private let body: Locked<(@Sendable () async throws -> Void)?>

    init(base: any CacheStore, isBefore: Bool, _ body: @escaping @Sendable () async throws -> Void) {
        (self.base, self.isBefore, self.body) = (base, isBefore, Locked(body))
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let isItem = key.contains("item:")
        if isItem, isBefore { await overtake() }
        try await base.update(key, decide)
        if isItem, !isBefore { await overtake() }
    }

    private func overtake() async {
        guard let body = body.withLock({ $0.take() }) else { return }
        // A failure shows in what is left in the queue.
        try? await body()
    }
}

/// A store in which entries are damaged that it has.
private struct DamagingStore: ForwardingStore {
    let base: any CacheStore
    /// True if the list tells of the damage.
    let isListed: Bool
    private let damaged = Locked(Set<String>())

    init(base: any CacheStore, isListed: Bool) { (self.base, self.isListed) = (base, isListed) }

    func damage(_ fits: (String) -> Bool) async throws {
        let keys = Set(try await base.contents().entries.map(\.key).filter(fits))
        #expect(keys.count == 1)
        damaged.withLock { $0 = keys }
    }

    private func error(_ key: String) -> StoreError? {
        damaged.withLock { $0.contains(key) } ? .unreadable(key: key, reason: "a bit") : nil
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let entry = try await base.retrieve(key)
        if entry != nil, let error = error(key) { throw error }
        return entry
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await base.update(key) { found throws(StoreError) in
            guard case .success(.some) = found, let error = error(key) else { return try decide(found) }
            return try decide(.failure(error))
        }
    }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        var contents = try await base.contents(prefix: prefix)
        guard isListed else { return contents }
        for entry in contents.entries where error(entry.key) != nil {
            contents.damaged.append(DamagedEntry(key: entry.key, place: entry.key, reason: "a bit"))
        }
        contents.entries.removeAll { error($0.key) != nil }
        return contents
    }
}

/// A store after whose first claim of an item something happens.
private final class ClaimedStore: ForwardingStore {
    let base: any CacheStore
    private let next: Locked<(@Sendable () async throws -> Void)?>

    init(base: any CacheStore, _ next: @escaping @Sendable () async throws -> Void) {
        (self.base, self.next) = (base, Locked(next))
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let isClaim = Locked(false)
        try await base.update(key) { found throws(StoreError) in
            isClaim.withLock { $0 = key.hasPrefix("item:") && (try? found.get()) != nil }
            return try decide(found)
        }
        guard isClaim.withLock(\.self), let next = next.withLock({ $0.take() }) else { return }
        try? await next()  // what is expected is looked at afterwards
    }
}
