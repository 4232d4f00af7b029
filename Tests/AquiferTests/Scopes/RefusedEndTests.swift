import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("An end of a scope that is refused, repeated or overtaken", .timeLimit(.minutes(10)))
struct RefusedEndTests {
    private let base = FaultyStore(RepeatingStore())
    private let world = OutboxWorld()

    private func scope(in store: (any CacheStore)? = nil) -> Scope { Scope("user", in: store ?? base) }

    private func mark(_ ending: ScopeMark.Ending?) async throws {
        _ = try await ScopeLife("user", base).changeMark { mark in
            var mark = mark
            mark?.ending = ending
            return mark
        }
    }

    @Test("While unsent changes are counted, a call is busy and not ended; afterwards all goes on")
    func counting() async throws {
        let scope = scope()
        try await scope.store.insert(.sample(1), for: "key")
        try await mark(.counting)
        let busy = StoreError.busy(path: "the scope user")
        await #expect(throws: busy) { try await scope.store.insert(.sample(2), for: "key") }
        await #expect(throws: busy) { try await scope.store.retrieve("key") }
        try await mark(nil)
        #expect(try await scope.store.retrieve("key") == .sample(1))
    }

    /// A store that does something after its next update of an entry.
    private struct Interrupted: ForwardingStore {
        let base: any CacheStore
        let next: Locked<(@Sendable () async -> Void)?>

        func update(
            _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
        ) async throws(StoreError) {
            try await base.update(key, decide)
            let body = next.withLock { body in
                defer { body = nil }
                return body
            }
            await body?()
        }
    }

    @Test("An item whose removal a count overtakes is told as removed")
    func overtakenRemoval() async throws {
        let interrupted = Interrupted(base: base, next: Locked(nil))
        let outbox = Outbox(
            in: scope(in: interrupted).store, client: world.server.client, policy: world.policy())
        let item = try await outbox.enqueue(world.note("one"))
        // A failure would show in the busy read below.
        interrupted.next.withLock { $0 = { try? await self.mark(.counting) } }
        #expect(try await outbox.discard(item.id) == Outbox.Discarded(mayHaveArrived: false))
        await #expect(throws: StoreError.busy(path: "the scope user")) { try await outbox.items() }
        try await mark(nil)
        #expect(try await outbox.items().isEmpty)
    }

    @Test("A save that an end overtakes in the middle puts the value before back")
    func overtakenSave() async throws {
        let interrupted = Interrupted(base: base, next: Locked(nil))
        let scope = scope(in: interrupted)
        try await scope.store.insert(.sample(1), for: "key")
        // A failure would show in what the save throws.
        interrupted.next.withLock { $0 = { try? await self.mark(.counting) } }
        await #expect(throws: StoreError.busy(path: "the scope user")) {
            try await scope.store.insert(.sample(2), for: "key")
        }
        try await mark(nil)
        #expect(try await scope.store.retrieve("key") == .sample(1))
    }

    @Test(
        "A save over an entry that the system cannot read now throws, and that entry stays, also when its scope is ending"
    )
    func unreadBefore() async throws {
        let interrupted = Interrupted(base: UnreadStore(base: base), next: Locked(nil))
        let scope = scope(in: interrupted)
        try await self.scope().store.insert(.sample(1), for: "key")
        try await scope.open()
        interrupted.next.withLock { $0 = { try? await self.mark(.counting) } }
        await #expect(throws: StoreError.self) { try await scope.store.insert(.sample(2), for: "key") }
        try await mark(nil)
        #expect(try await self.scope().store.retrieve("key") == .sample(1))
    }

    /// A store that cannot read the entry before an update, as for an error of the device.
    private struct UnreadStore: ForwardingStore {
        let base: any CacheStore

        func update(
            _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
        ) async throws(StoreError) {
            try await base.update(key) { _ throws(StoreError) in
                try decide(.failure(.failed(operation: "read", reason: "Input/output error")))
            }
        }
    }

    @Test("A count whose process was killed does not lock out for ever those who stay")
    func forgottenCount() async throws {
        let scope = scope()
        try await scope.store.insert(.sample(1), for: "key")
        try await mark(.counting)
        var refusals = 0
        while true {
            do throws(StoreError) {
                try await scope.store.insert(.sample(2), for: "key")
                break
            } catch {
                #expect(error == .busy(path: "the scope user"))
                refusals += 1
                try #require(refusals < 100)
            }
        }
        #expect(refusals == ScopeLife.patience)
        #expect(try await scope.store.retrieve("key") == .sample(2))
    }

    @Test("An end that fails while it counts leaves the scope as it was")
    func failedCount() async throws {
        let scope = scope()
        try await scope.store.insert(.sample(1), for: "key")
        base.fail(.contents, with: .failed(operation: "list", reason: "Input/output error"))
        await #expect(throws: ScopeError.self) { try await scope.end() }
        base.heal()
        #expect(try await scope.store.retrieve("key") == .sample(1))
        try await scope.end()
    }

    @Test("A discard also discards what another end was about to keep")
    func discardOverKeep() async throws {
        let scope = scope()
        world.server.rule { _, _ in .silence }
        try await Outbox(in: scope.store, client: world.server.client, policy: world.policy()).enqueue(
            world.note("one"))
        try await mark(.keeping)
        try await scope.end(unsent: .discard)
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("An object that ended before its first use begins nothing afterwards")
    func unused() async throws {
        let unused = scope()
        try await unused.end()
        await #expect(throws: StoreError.ended(scope: "user")) { try await unused.store.insert(.sample(1), for: "key") }
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("Sending first is repeated without harm when the end has begun")
    func repeatedSending() async throws {
        let scope = scope()
        let outbox = Outbox(in: scope.store, client: world.server.client, policy: world.policy())
        try await outbox.enqueue(world.note("one"))
        scope.register(outbox)
        try await scope.end(unsent: .sendFirst)
        try await scope.end(unsent: .sendFirst)
        #expect(world.server.taken == ["one"])
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("A damaged scope does not keep the ends of the others from being finished")
    func finishEnds() async throws {
        for name in ["a", "user"] { try await Scope(name, in: base).store.insert(.sample(1), for: "key") }
        try await mark(.deleting)
        try await base.insert(.sample(2), for: "scope:a")
        await #expect(throws: StoreError.self) { try await Scope.finishEnds(in: base) }
        #expect(try await base.contents(prefix: "scope/user/").entries.isEmpty)
        #expect(try await base.retrieve("scope:user") == nil)
    }

    @Test("A data loader with a scope delivers no file of a folder that others use")
    func downloads() async throws {
        try await TemporaryFolder.with { folder in
            let client = ScriptedHTTPClient { _ in .answer(body: Data("of ann".utf8)) }
            let downloads = try Downloads(directory: folder, client: client)
            let url = URL(string: "https://files.example/photo")!
            _ = try await DataLoader(client: client, store: base, downloads: downloads, scope: "ann").file(for: url)
            let bo = DataLoader(client: OfflineClient(), store: base, downloads: downloads, scope: "bo")
            let error = await failure { () async throws(LoadError) in try await bo.data(for: url) }
            #expect(error?.reason == .connectivity)
        }
    }
}
