import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The end of a scope beside others", .timeLimit(.minutes(10)))
struct ScopeRaceTests {
    private let world = OutboxWorld()
    private let base = RepeatingStore()

    private func outbox(_ scope: Scope) -> Outbox {
        Outbox(in: scope.store, client: world.server.client, policy: world.policy())
    }

    /// Logs a user out who has left one unsent note.
    private func keepNote() async throws {
        let scope = Scope("user", in: base)
        world.server.rule { _, _ in .silence }
        try await outbox(scope).enqueue(world.note("one"))
        try await scope.end(unsent: .keep)
        world.server.heal()
    }

    private func files(in folder: URL, _ names: [String]) throws -> [URL] {
        try names.map { name in
            let file = folder.appendingPathComponent(name)
            try Data("x".utf8).write(to: file)
            return file
        }
    }

    @Test(
        "deletes the files of the scopes inside, and of those inside of them, wherever it was cut off", arguments: 0..<6
    )
    func filesInside(failing: Int) async throws {
        try await TemporaryFolder.with { folder in
            let all = try files(in: folder, ["a", "b", "c", "other"])
            let cut = CutStore(base: base)
            let outer = Scope("user", in: cut)
            let inner = Scope("draft/1", in: outer.store)
            let innermost = Scope("part", in: inner.store)
            for (scope, file) in zip([outer, inner, innermost], all) {
                try await scope.deleteAtEnd(file, isForUnsent: file == all[1])
            }
            try await outer.store.insert(.sample(1), for: "scope:no mark")
            cut.cut(after: failing)
            do throws(ScopeError) { try await outer.end(unsent: .discard) } catch {
                #expect(error == .store(.busy(path: "cut")))
            }
            try await Scope.finishEnds(in: base)
            if try await base.contents().entries.isEmpty {
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
            } else {
                #expect(failing == 0, "the end had not begun")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 4)
            }
        }
    }

    @Test("deletes both of two files whose names only look the same")
    func lookalikes() async throws {
        try await TemporaryFolder.with { folder in
            let scope = Scope("user", in: base)
            for file in try files(in: folder, ["caf\u{E9}", "cafe\u{301}"]) { try await scope.deleteAtEnd(file) }
            try await scope.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("deletes a file whose name cannot be longer, and is not kept from its end by what cannot be there")
    func longNames() async throws {
        try await TemporaryFolder.with { folder in
            let scope = Scope("user", in: base)
            for file in try files(in: folder, [String(repeating: "n", count: 255)]) {
                for file in [file, file.appendingPathComponent("below a file")] { try await scope.deleteAtEnd(file) }
            }
            try await scope.deleteAtEnd(folder.appendingPathComponent(String(repeating: "m", count: 256)))
            try await scope.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test("keeps the files of unsent changes inside, and deletes the others")
    func keptInside() async throws {
        try await TemporaryFolder.with { folder in
            let all = try files(in: folder, ["file", "attachment", "attachment without items"])
            let outer = Scope("user", in: base)
            let (full, empty) = (Scope("full", in: outer.store), Scope("empty", in: outer.store))
            try await full.deleteAtEnd(all[0])
            try await full.deleteAtEnd(all[1], isForUnsent: true)
            try await empty.deleteAtEnd(all[2], isForUnsent: true)
            world.server.rule { _, _ in .silence }
            try await outbox(full).enqueue(world.note("one"))
            try await outer.end(unsent: .keep)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["attachment"])
            let next = Scope("user", in: base)
            #expect(try await outbox(Scope("full", in: next.store)).items().count == 1)
            try await next.end(unsent: .discard)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }

    @Test(
        "leaves the next login its files, when a process goes on that was stopped in the end before",
        arguments: [1, 2], [false, true])
    func filesOfNext(look: Int, isFolder: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let vault = folder.appendingPathComponent("vault")
            let file = isFolder ? vault.appendingPathComponent("file") : vault
            @Sendable func write(_ text: String) throws {
                if isFolder { try FileManager.default.createDirectory(at: vault, withIntermediateDirectories: true) }
                try Data(text.utf8).write(to: file)
            }
            let store = LookedAtStore(base: base) { [base] count in
                guard count == look else { return }
                try await Scope.finishEnds(in: base)
                let next = Scope("user", in: base)
                try await next.deleteAtEnd(vault)
                try write("new")
            }
            let scope = Scope("user", in: store)
            try await scope.deleteAtEnd(vault)
            try write("old")
            try await scope.end(unsent: .discard)
            #expect(store.looks.withLock(\.self) == 2)
            #expect(try Data(contentsOf: file) == Data("new".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["vault"])
        }
    }

    @Test("deletes no file that the next login has written while another one of it was aside, and says where that is")
    func twoFilesOfNext() async throws {
        try await TemporaryFolder.with { folder in
            let vault = folder.appendingPathComponent("vault")
            let store = LookedAtStore(base: base) { [base] count in
                if count == 1 {
                    try await Scope.finishEnds(in: base)
                    try await Scope("user", in: base).open()
                }
                try Data("\(count)".utf8).write(to: vault)
            }
            let scope = Scope("user", in: store)
            try await scope.deleteAtEnd(vault)
            let error = await #expect(throws: ScopeError.self) { try await scope.end(unsent: .discard) }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(names.count == 2 && names.first == "vault")
            #expect("\(error as Any)".contains(names.last ?? "?"))
            #expect(try Data(contentsOf: vault) == Data("2".utf8))
        }
    }

    @Test("keeps what was kept before, when somebody logs in beside it and is stopped while moving it")
    func keptTwice() async throws {
        try await keepNote()
        // A process logs in, and is killed before it has moved anything.
        let cut = CutStore(base: base)
        cut.cut(after: 1)
        await #expect(throws: StoreError.busy(path: "cut")) { try await Scope("user", in: cut).open() }
        // A fresh scope has looked before that, and marks its end only now.
        let mark = try await ScopeLife("user", base).mark()
        #expect(mark?.predecessor != nil)
        try await Scope("user", in: LateMark(base: base)).end(unsent: .keep)
        #expect(try await outbox(Scope("user", in: base)).drain().sent == 1)
        #expect(world.server.taken == ["one"])
    }

    @Test(
        "leaves each kept change once: who was stopped while moving it puts back nothing that was sent",
        arguments: 0..<8)
    func stoppedMove(writes: Int) async throws {
        try await keepNote()
        let held = StoppedStore(base: base, before: writes)
        let slow = Task { try await Scope("user", in: held).open() }
        #expect(await eventually { held.hasEnded || held.isWaiting })
        let next = Scope("user", in: base)
        let queue = outbox(next)
        #expect(try await queue.drain().sent == 1)
        held.release()
        _ = try await slow.value
        #expect(try await outbox(next).drain().sent == 0)
        #expect(try await next.store.contents().entries.map(\.key).filter { $0.hasPrefix("item:") } == [])
        #expect(world.server.taken == ["one"] && world.server.asked.count == 1)
        try await next.end()
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test(
        "is refused for no place that a killed process had taken for a change which was sent meanwhile",
        arguments: [Scope.Unsent?.none, .keep, .sendFirst], [false, true])
    func killedMove(unsent: Scope.Unsent?, isSwept: Bool) async throws {
        try await keepNote()
        // Its first write moves nothing yet; the second takes the place.
        let held = StoppedStore(base: base, before: 0, of: "item:", isKilledAfterIt: true)
        let slow = Task { try await Scope("user", in: held).open() }
        #expect(await eventually { held.isWaiting })
        let next = Scope("user", in: base)
        #expect(try await outbox(next).drain().sent == 1)
        held.release()
        await #expect(throws: StoreError.busy(path: "killed")) { try await slow.value }
        #expect(try await next.store.contents(prefix: "item:").entries.count == 1)
        if isSwept {
            try await Scope.finishEnds(in: base)
            #expect(try await outbox(Scope("user", in: base)).items().isEmpty)
            #expect(try await next.store.contents(prefix: "item:").entries.isEmpty)
        }
        try await next.end(unsent: unsent)
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test(
        "lets nobody queue a change that is said not to be queued, wherever the login that moves it is",
        arguments: 0..<10)
    func movedBeside(writes: Int) async throws {
        let scope = Scope("user", in: base)
        try await outbox(scope).enqueue(world.note("one"))
        let slow = InterruptedStore(base: base)
        slow.next.withLock {
            $0 = { [base] in
                do throws(ScopeError) { try await Scope("user", in: base).end(unsent: .keep) } catch {
                    Issue.record(error)
                }
                let cut = CutStore(base: base)
                cut.cut(after: writes)
                do throws(StoreError) { try await Scope("user", in: cut).open() } catch {
                    #expect(error == .busy(path: "cut"))
                }
            }
        }
        var failure: OutboxError?
        do throws(OutboxError) { try await outbox(Scope("user", in: slow)).enqueue(world.note("two")) } catch {
            failure = error
        }
        let count = try await outbox(Scope("user", in: base)).items().count
        switch failure {
        case .store(.ended): #expect(count == 1)
        case .store(.uncertain): #expect(writes > 0)
        default: Issue.record("\(failure as Any)")
        }
    }

    @Test(
        "never shows an item again that was sent, at any moment of a process that goes on moving it", arguments: 0..<8)
    func neverShown(writes: Int) async throws {
        try await keepNote()
        let held = StoppedStore(base: base, before: writes)
        let slow = Task { try await Scope("user", in: held).open() }
        #expect(await eventually { held.hasEnded || held.isWaiting })
        #expect(try await outbox(Scope("user", in: base)).drain().sent == 1)
        held.afterEachWrite { entry in
            if let entry { #expect((try? JSONDecoder().decode(OutboxRecord.self, from: entry.bytes)) == nil) }
        }
        held.release()
        _ = try await slow.value
    }
}

/// A store that does something once, after an item was saved, before its saver looks at the mark.
private struct InterruptedStore: ForwardingStore {
    let base: any CacheStore
    let next = Locked<(@Sendable () async -> Void)?>(nil)

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await base.update(key, decide)
        guard key.contains("item:") else { return }
        await next.withLock { $0.take() }?()
    }
}

/// A store that does something after each look at the mark, once an end has deleted the entries, and before the looker knows it.
private struct LookedAtStore: ForwardingStore {
    let base: any CacheStore
    let body: @Sendable (Int) async throws -> Void
    let looks = Locked(0)
    private let isArmed = Locked(false)

    init(base: any CacheStore, _ body: @escaping @Sendable (Int) async throws -> Void) {
        (self.base, self.body) = (base, body)
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await base.deleteAll(prefix: prefix)
        isArmed.withLock { $0 = true }
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let count = looks.withLock { looks in
            if isArmed.withLock(\.self), key == "scope:user" { looks += 1 }
            return looks
        }
        // The first look is over when it happens, the others come after it.
        let entry = try await base.retrieve(key)
        if count > 0 {
            do { try await body(count) } catch { Issue.record(error) }
        }
        return count > 1 ? try await base.retrieve(key) : entry
    }
}

/// A store whose first look at the mark of the user shows no login, as if it had happened before the others'.
private final class LateMark: ForwardingStore {
    let base: any CacheStore
    private let looks = Locked(0)

    init(base: any CacheStore) { self.base = base }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let isFirst = looks.withLock { looks in
            looks += 1
            return looks == 1
        }
        return isFirst ? nil : try await base.retrieve(key)
    }
}

/// A store that stops its process before one of its writes.
private final class StoppedStore: ForwardingStore {
    let base: any CacheStore
    private let gate = Gate()
    private let state: Locked<(left: Int, isWaiting: Bool, hasEnded: Bool)>
    private let look = Locked<(@Sendable (StoredEntry?) -> Void)?>(nil)

    /// The part of the keys whose writes are counted.
    private let part: String
    private let isKilledAfterIt: Bool
    private let isDead = Locked(false)

    /// - Parameter isKilledAfterIt: true if that write is the last call that reaches the store.
    init(base: any CacheStore, before count: Int, of part: String = "", isKilledAfterIt: Bool = false) {
        self.base = base
        self.part = part
        self.isKilledAfterIt = isKilledAfterIt
        state = Locked((count, false, false))
    }

    var isWaiting: Bool { state.withLock { $0.isWaiting } }
    /// True if the process has made no write for which it would have to stop.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func release() { gate.open() }
    func afterEachWrite(_ body: @escaping @Sendable (StoredEntry?) -> Void) { look.withLock { $0 = body } }

    private func pass(_ key: String) async throws(StoreError) {
        if isDead.withLock({ $0 }) { throw .busy(path: "killed") }
        guard part.isEmpty || key.contains(part) else { return }
        let stops = state.withLock { state in
            state.left -= 1
            if state.left == -1 { state.isWaiting = true }
            return state.left == -1
        }
        guard stops else { return }
        await gate.wait()
        isDead.withLock { $0 = isKilledAfterIt }
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if isDead.withLock({ $0 }) { throw .busy(path: "killed") }
        return try await base.retrieve(key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await pass(key)
        try await base.update(key, decide)
        if key.contains("item:") { look.withLock { $0 }?(try await base.retrieve(key)) }
    }

    func delete(_ key: String) async throws(StoreError) {
        try await pass(key)
        try await base.delete(key)
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await pass(prefix)
        try await base.deleteAll(prefix: prefix)
        state.withLock { $0.hasEnded = true }
    }
}
