import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A scope", .timeLimit(.minutes(10)))
struct ScopeTests {
    private let base = FaultyStore(RepeatingStore())
    private static let entry = StoredEntry(bytes: Data("mine".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    private func scope(_ name: String) -> Scope { Scope(name, in: base) }

    /// The keys that are left in the store around.
    private func left() async throws -> Set<String> { Set(try await base.contents().entries.map(\.key)) }

    @Test("has a store that keeps the contract", arguments: CacheStoreContract.checks(for: .scoped))
    func contract(check: CacheStoreContract.Check) async throws {
        try await check.run(.scoped)
    }

    @Test("has a store that keeps the contract in files", arguments: CacheStoreContract.checks)
    func contractInFiles(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.files(in: folder).scoped) }
    }

    @Test("has any name, and shares no entry with another, however alike the names are")
    func names() async throws {
        let names = [
            "user/4", "user/42", "user", "", "user/4/", "user%2F4", "\u{e9}", "e\u{301}", "a\u{0}", "user/4/x", "🦊",
        ]
        for (number, name) in names.enumerated() {
            try await scope(name).store.insert(.sample(number), for: "\u{301}key")
        }
        for (number, name) in names.enumerated() {
            #expect(try await scope(name).store.retrieve("\u{301}key") == .sample(number), "\(name)")
            let keys = try await scope(name).store.contents().entries.map { Array($0.key.utf8) }
            #expect(keys == [Array("\u{301}key".utf8)], "\(name)")
        }
        try await scope("user/4").end()
        for (number, name) in names.enumerated() where name != "user/4" {
            #expect(try await scope(name).store.retrieve("\u{301}key") == .sample(number), "\(name)")
        }
        #expect(try await scope("user/4").store.contents().entries.isEmpty)
    }

    @Test("leaves nothing in the store when it has ended, and what others have as it was")
    func endLeavesNothing() async throws {
        try await base.insert(Self.entry, for: "scope")
        try await base.insert(Self.entry, for: "user/4")
        for name in ["user/4", "user/42"] {
            for key in ["a", "b/c", "scope:x"] { try await scope(name).store.insert(Self.entry, for: key) }
        }
        let before = try await left()
        try await scope("user/4").end()
        let after = try await left()
        #expect(after == before.filter { !$0.hasPrefix("scope/user%2F4/") && $0 != "scope:user%2F4" })
        #expect(after.count == 6)
        try await scope("user/42").end()
        #expect(try await left() == ["scope", "user/4"])
    }

    @Test("can be read and changed by nobody who had it before the end; a later login begins anew")
    func generations() async throws {
        let (mine, other) = (scope("user"), scope("user"))
        try await mine.store.insert(Self.entry, for: "key")
        #expect(try await other.store.retrieve("key") == Self.entry)
        try await mine.end()
        for old in [mine, other] {
            await #expect(throws: StoreError.ended(scope: "user")) { try await old.store.retrieve("key") }
            await #expect(throws: StoreError.ended(scope: "user")) {
                try await old.store.insert(Self.entry, for: "key")
            }
            await #expect(throws: StoreError.ended(scope: "user")) { try await old.store.delete("key") }
            await #expect(throws: StoreError.ended(scope: "user")) { try await old.store.contents() }
            await #expect(throws: StoreError.ended(scope: "user")) { try await old.store.deleteAll(prefix: "") }
            await #expect(throws: StoreError.ended(scope: "user")) { try await old.open() }
            await #expect(throws: StoreError.ended(scope: "user")) {
                try await old.store.update("key") { _ in
                    Issue.record("it decided after the end")
                    return .keep
                }
            }
        }
        let next = scope("user")
        #expect(try await next.store.retrieve("key") == nil)
        try await next.store.insert(Self.entry, for: "key")
        await #expect(throws: StoreError.ended(scope: "user")) { try await mine.store.retrieve("key") }
        try await mine.end()
        #expect(try await next.store.retrieve("key") == Self.entry)
    }

    @Test("takes back what a caller writes who was stopped before its write and goes on after the end")
    func stoppedWriter() async throws {
        for isLater in [false, true] {
            let held = HeldStore(base: base)
            let old = Scope("user", in: held)
            try await old.store.insert(Self.entry, for: "key")
            held.hold()
            let writes = [
                Task { try await old.store.insert(.sample(1), for: "late") },
                Task { try await old.store.update("key") { _ in .replace(.sample(2)) } },
            ]
            #expect(await eventually { held.waiting > 0 })
            try await scope("user").end()
            if isLater { try await scope("user").store.insert(.sample(3), for: "key") }
            held.release()
            for write in writes { await #expect(throws: StoreError.ended(scope: "user")) { try await write.value } }
            let keys = try await left()
            #expect(keys.count == (isLater ? 2 : 0), "\(keys)")
            if isLater { #expect(try await scope("user").store.retrieve("key") == .sample(3)) }
            try await scope("user").end()
        }
    }

    @Test(
        "takes back what was written over an old copy of its mark, and a login takes no ended generation from one",
        arguments: [false, true], [false, true])
    func oldCopies(isNested: Bool, isWrapped: Bool) async throws {
        let truth = MemoryStore()
        let tiered = TieredStore(memory: .megabytes(1), over: DeafTruth(base: truth))
        func place(_ base: any CacheStore) -> any CacheStore { isNested ? Scope("tenant", in: base).store : base }
        let (mine, others) = (place(isWrapped ? CutStore(base: tiered) : tiered), place(truth))
        let old = Scope("user", in: mine)
        try await old.store.insert(.sample(1), for: "key")
        // From here on this machine has a copy of the mark.
        #expect(try await old.store.retrieve("key") == .sample(1))
        try await Scope("user", in: others).end()
        await #expect(throws: StoreError.ended(scope: "user")) {
            try await old.store.insert(.sample(2), for: "late")
        }
        #expect(try await others.contents().entries.isEmpty)
        try await Scope("user", in: mine).store.insert(.sample(3), for: "key")
        #expect(try await Scope("user", in: others).store.retrieve("key") == .sample(3))
    }

    @Test(
        "sweeps what a writer who was killed after the end has left, at the next login and at the next start",
        arguments: [false, true])
    func killedWriter(atStart: Bool) async throws {
        let old = scope("user")
        try await old.store.insert(Self.entry, for: "key")
        let place = try #require(try await left().first { $0.hasSuffix("/key") })
        try await old.end()
        try await base.insert(Self.entry, for: place)
        if atStart { try await Scope.finishEnds(in: base) } else { try await scope("user").open() }
        #expect(try await base.retrieve(place) == nil)
        #expect(try await left() == (atStart ? [] : ["scope:user"]))
    }

    @Test("finishes an end that failed in the middle, wherever that was", arguments: 0..<8)
    func interrupted(failing: Int) async throws {
        let cut = CutStore(base: base)
        let old = Scope("user", in: cut)
        for number in 0..<3 { try await old.store.insert(.sample(number), for: "\(number)") }
        try await base.insert(Self.entry, for: "other")
        cut.cut(after: failing)
        do { try await old.end(unsent: .discard) } catch { #expect(error == .store(.busy(path: "cut")), "\(error)") }
        // The next start.
        try await Scope.finishEnds(in: base)
        let next = scope("user")
        let keys = Set(try await next.store.contents().entries.map(\.key))
        #expect(keys.isEmpty || keys == ["0", "1", "2"], "\(keys)")
        try await next.end()
        #expect(try await left() == ["other"])
    }

    @Test("in a scope ends with it, and ends alone")
    func nested() async throws {
        let outer = scope("user")
        let (first, second) = (Scope("draft/1", in: outer.store), Scope("draft/2", in: outer.store))
        for inner in [first, second] { try await inner.store.insert(Self.entry, for: "key") }
        try await outer.store.insert(Self.entry, for: "key")
        try await first.end()
        #expect(try await second.store.retrieve("key") == Self.entry)
        #expect(try await outer.store.retrieve("key") == Self.entry)
        try await outer.end()
        await #expect(throws: StoreError.ended(scope: "user")) { try await second.store.retrieve("key") }
        #expect(try await left().isEmpty)
    }

    @Test("tells the changes of its own keys, and everything when it ends")
    func changes() async throws {
        let (mine, other) = (scope("user"), scope("other"))
        try await mine.open()
        try await other.open()
        let told = Locked([StoreChange]())
        let observation = mine.store.changes.observe { change in told.withLock { $0.append(change) } }
        defer { observation.cancel() }
        try await other.store.insert(Self.entry, for: "key")
        try await scope("user").store.insert(Self.entry, for: "key")
        try await mine.store.deleteAll(prefix: "k")
        #expect(told.withLock { $0 } == [.entry("key"), .prefix("k")])
        try await scope("user").end()
        #expect(told.withLock { $0.contains(.everything) })
    }

    @Test("with a damaged mark is an error and not empty, and can be ended all the same")
    func damagedMark() async throws {
        try await scope("user").store.insert(Self.entry, for: "key")
        try await base.insert(StoredEntry(bytes: Data("torn".utf8), savedAt: .distantPast), for: "scope:user")
        await #expect(throws: StoreError.self) { try await scope("user").store.retrieve("key") }
        await #expect(throws: ScopeError.self) { try await scope("user").end() }
        try await scope("user").end(unsent: .discard)
        #expect(try await left().isEmpty)
    }

    @Test("lets an end be repeated that the store has failed, and says what failed")
    func failingStore() async throws {
        try await scope("user").store.insert(Self.entry, for: "key")
        base.fail(.deleteAll, with: .full(path: "/disk"))
        await #expect(throws: ScopeError.store(.full(path: "/disk"))) { try await scope("user").end() }
        base.heal()
        try await scope("user").end()
        #expect(try await left().isEmpty)
    }

    @Test("deletes its downloads with it")
    func downloads() async throws {
        try await DownloadWorld.with { world in
            let downloads = try world.downloads(FileRemote(Data.noise(300_000)).client)
            let scope = scope("user")
            try await scope.deleteAtEnd(world.folder)
            _ = try await downloads.file(for: world.url)
            #expect(FileManager.default.fileExists(atPath: world.folder.path))
            try await scope.end()
            #expect(!FileManager.default.fileExists(atPath: world.folder.path))
        }
    }

    @Test("deletes the files that it owns with it, and no other")
    func files() async throws {
        try await TemporaryFolder.with { folder in
            let (mine, other) = (folder.appendingPathComponent("mine"), folder.appendingPathComponent("other"))
            for place in [mine, other] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try Data("x".utf8).write(to: place.appendingPathComponent("file"))
            }
            let scope = scope("user")
            try await scope.deleteAtEnd(mine)
            try await scope.deleteAtEnd(folder.appendingPathComponent("never made"))
            try await scope.end()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
            await #expect(throws: StoreError.ended(scope: "user")) { try await scope.deleteAtEnd(other) }
        }
    }
}

@Suite("A load over a scope", .timeLimit(.minutes(10)))
struct ScopedLoadTests {
    private let base = RepeatingStore()
    private let url = URL(string: "http://feed.example/v1/texts")!

    private func resource(_ scope: Scope, _ client: any HTTPClient) -> Resource<[String]> {
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, url), client: client) { _, body in
            try JSONDecoder().decode([String].self, from: body)
        }
        return Resource(remote: remote, cache: Cache<[String]>(key: "texts", in: scope.store))
    }

    private func expectEnd(_ load: () async throws -> Void) async {
        let error = await failure(of: load) as? LoadError
        #expect(error == .store(.ended(scope: "user"), after: .connectivity), "\(String(describing: error))")
    }

    @Test("is cancelled when the scope ends, down to the request, and saves nothing")
    func cancelled() async throws {
        let (client, scope) = (ScriptedHTTPClient(), Scope("user", in: base))
        let resource = resource(scope, client)
        let load = Task { try await resource.load() }
        let exchange = await client.exchange(0)
        try await Scope("user", in: base).end()
        await exchange.waitForCancellation()
        await expectEnd { _ = try await load.value }
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("whose answer has arrived is neither saved nor delivered after the end")
    func lateAnswer() async throws {
        let held = HeldStore(base: base)
        let scope = Scope("user", in: held)
        let client = ScriptedHTTPClient { _ in .texts(["theirs"]) }
        let resource = resource(scope, client)
        try await scope.open()
        held.hold()
        let load = Task { try await resource.load() }
        #expect(await eventually { held.waiting > 0 })
        try await Scope("user", in: base).end()
        held.release()
        await expectEnd { _ = try await load.value }
        #expect(try await base.contents().entries.isEmpty)
    }

    @Test("that a server refuses ends nothing: only a logout ends a scope")
    func expiredToken() async throws {
        let status = Locked(401)
        let client = ScriptedHTTPClient { _ in .answer(status: status.withLock { $0 }) }
        let scope = Scope("user", in: base)
        try await scope.store.insert(.sample(1), for: "other")
        let remote = RemoteLoader<[String]>(HTTPRequest(.get, url), client: client) { head, _ in
            throw InvalidData.status(head.status)
        }
        let resource = Resource(remote: remote, cache: Cache<[String]>(key: "texts", in: scope.store))
        for refusal in [401, 403] {
            status.withLock { $0 = refusal }
            let error = await failure(of: { _ = try await resource.load() }) as? LoadError
            #expect(error == .invalidData(.status(refusal)))
        }
        #expect(try await scope.store.retrieve("other") == .sample(1))
    }

    @Test("asks nothing after the end")
    func after() async throws {
        let (client, scope) = (ScriptedHTTPClient { _ in .texts(["theirs"]) }, Scope("user", in: base))
        let resource = resource(scope, client)
        #expect(try await resource.load().value == ["theirs"])
        try await scope.end()
        await expectEnd { _ = try await resource.load() }
        #expect(client.requests.count == 1)
    }
}

extension CacheStoreContract.Subject {
    static let scoped = Self.memory.scoped

    /// The same store, in a scope between others.
    var scoped: Self {
        let bases = Locked<[ObjectIdentifier: any CacheStore]>([:])
        @Sendable func scoped(_ base: any CacheStore) -> any CacheStore {
            let store = Scope("u/4", in: base).store
            bases.withLock { $0[ObjectIdentifier(store as AnyObject)] = base }
            return store
        }
        @Sendable func base(_ store: any CacheStore) throws -> any CacheStore {
            try #require(bases.withLock { $0[ObjectIdentifier(store as AnyObject)] })
        }
        @Sendable func place(_ key: String, _ base: any CacheStore) async throws -> String {
            try #require(
                try await base.contents().entries.map(\.key).first {
                    $0.hasPrefix("scope/u%2F4/") && $0.hasSuffix("/\(key)")
                })
        }
        var subject = self
        subject.make = { [make] in
            let base = try await make()
            for name in ["u", "u/42"] { try await Scope(name, in: base).store.insert(.sample(9), for: "key") }
            return scoped(base)
        }
        if let reopen { subject.reopen = { store in scoped(try await reopen(try base(store))) } }
        if let makeFailing {
            subject.makeFailing = { entries in
                // The generation is drawn before the writes fail.
                let id = UUID()
                let prefix = "scope/u%2F4/" + id.uuidString.lowercased().filter { $0 != "-" }.prefix(16) + "/"
                let mark = ScopeMark(generation: String(prefix.dropFirst(12).dropLast()))
                var all = Dictionary(uniqueKeysWithValues: entries.map { (prefix + $0, $1) })
                all["scope:u%2F4"] = try mark.entry()
                return scoped(try await makeFailing(all))
            }
        }
        if let corrupt {
            subject.corrupt = { key, store in try await corrupt(try await place(key, try base(store)), try base(store))
            }
        }
        subject.damages = damages.map { damage in
            .init(damage.name) { key, store in
                try await damage.run(try await place(key, try base(store)), try base(store))
            }
        }
        return subject
    }
}

extension StoredEntry {
    static func sample(_ number: Int) -> StoredEntry {
        StoredEntry(bytes: Data("entry \(number)".utf8), savedAt: Date(timeIntervalSinceReferenceDate: Double(number)))
    }
}

/// A store whose writes wait until they are let go, as those of a process that was stopped.
final class HeldStore: ForwardingStore {
    let base: any CacheStore
    private let gate = Locked<Gate?>(nil)
    private let held = Locked(0)

    init(base: any CacheStore) { self.base = base }

    func hold() { gate.withLock { $0 = Gate() } }
    func release() { gate.withLock { $0.take() }?.open() }
    /// The number of writes that have waited.
    var waiting: Int { held.withLock { $0 } }

    private func pass() async {
        guard let gate = gate.withLock({ $0 }) else { return }
        held.withLock { $0 += 1 }
        await gate.wait()
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        await pass()
        try await base.insert(entry, for: key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        await pass()
        try await base.update(key, decide)
    }
}

/// A store that fails all writes after a number of them, as for a process that was killed there.
final class CutStore: ForwardingStore {
    let base: any CacheStore
    private let left = Locked(Int.max)

    init(base: any CacheStore) { self.base = base }

    func cut(after count: Int) { left.withLock { $0 = count } }

    private func pass() throws(StoreError) {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { throw .busy(path: "cut") }
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try pass()
        try await base.insert(entry, for: key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try pass()
        try await base.update(key, decide)
    }

    func delete(_ key: String) async throws(StoreError) {
        try pass()
        try await base.delete(key)
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        try pass()
        try await base.deleteAll(prefix: prefix)
    }
}

/// A store that tells its own changes, and hears of nobody else's.
struct DeafTruth: ForwardingStore {
    let base: any CacheStore
    let changes = StoreChanges()

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await base.insert(entry, for: key)
        changes.post(.entry(key))
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await base.update(key, decide)
        changes.post(.entry(key))
    }

    func delete(_ key: String) async throws(StoreError) {
        try await base.delete(key)
        changes.post(.entry(key))
    }
}
