import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@Suite("Load from cache", .timeLimit(.minutes(10)))
struct LoadFromCacheTests {
    private let world = World()
    private let week = Duration.days(7)

    @Test("Primary course: delivers the saved value that is less than seven days old")
    func primaryCourse() async throws {
        try await world.save(["a"], age: week - .seconds(1))
        #expect(try await world.cache.load()?.value == ["a"])
    }

    @Test(
        "Expired cache course: delivers nothing at seven days or more",
        arguments: [Duration.zero, .seconds(1), .days(365)])
    func expired(past: Duration) async throws {
        try await world.save(["a"], age: week + past)
        #expect(try await world.cache.load() == nil)
    }

    @Test("A stamp as far in the future as it may be old delivers nothing: the clock jumped")
    func clockJumped() async throws {
        try await world.save(["a"], age: .zero - week)
        #expect(try await world.cache.load() == nil)
        world.date.advance(by: 1)
        #expect(try await world.cache.load()?.value == ["a"])
    }

    @Test("No cache course: delivers nothing")
    func empty() async throws {
        #expect(try await world.cache.load() == nil)
    }

    @Test("Retrieval error course: delivers the error")
    func retrievalError() async {
        let error = StoreError.unreadable(key: "texts", reason: "torn")
        world.store.fail(.retrieve, with: error)
        #expect(await failure { () async throws(StoreError) in try await world.cache.load() } == error)
    }

    @Test("A copy that cannot be decoded is an error that tells nothing of it")
    func undecodable() async throws {
        let entry = StoredEntry(bytes: Data(#"["x",{"s":1}]"#.utf8), savedAt: world.date.now)
        try await world.store.insert(entry, for: "texts")
        let error = await failure { () async throws(StoreError) in try await world.cache.load() }
        #expect(error == .unreadable(key: "texts", reason: "[1] is not a string"))
    }

    @Test("A value whose parts are all too old is as good as none: it is not shown, and is deleted")
    func agedParts() async throws {
        let aged = Locked(Date.distantPast)
        let cache = Cache<[String]>(
            key: "parts", in: world.store,
            aging: { saved, _ in
                var rest = saved
                (rest.value, rest.savedAt) = ([], aged.withLock { $0 })
                return rest
            },
            now: { [date = world.date] in date.now })
        try await cache.save(["a"])
        #expect(try await cache.load() == nil)
        try await cache.amend { _ in ["amended"] }
        let stamp = world.date.now
        aged.withLock { $0 = stamp }
        #expect(try await cache.load()?.value.isEmpty == true)
        aged.withLock { $0 = .distantPast }
        #expect(try await cache.validate())
        #expect(try await world.store.retrieve("parts") == nil)
    }

    @Test("Loading has no side effects, whatever it finds", arguments: [Duration.zero, .days(7)])
    func noSideEffects(age: Duration) async throws {
        try await world.save(["a"], age: age)
        _ = try await world.cache.load()
        #expect(world.store.calls == [.retrieve("texts")])
    }
}

@Suite("Validate cache", .timeLimit(.minutes(10)))
struct ValidateCacheTests {
    private let world = World()

    @Test("Primary course: keeps a copy that is less than seven days old")
    func primaryCourse() async throws {
        try await world.save(["a"], age: .days(7) - .seconds(1))
        #expect(try await world.cache.validate() == false)
        #expect(try await world.saved()?.texts == ["a"])
    }

    @Test("Expired cache course: deletes the old cache")
    func expired() async throws {
        try await world.save(["a"], age: .days(7))
        #expect(try await world.cache.validate())
        #expect(try await world.saved() == nil)
    }

    @Test("A copy from the future stays, unseen, until the clock is right again")
    func future() async throws {
        try await world.save(["a"], age: .zero - .days(400))
        #expect(try await world.cache.validate() == false)
        #expect(try await world.cache.load() == nil)
        world.date.advance(by: 400 * 86_400)
        #expect(try await world.cache.load()?.value == ["a"])
    }

    @Test("Retrieval error course: deletes the old cache")
    func retrievalError() async throws {
        let entry = StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.now)
        try await world.store.insert(entry, for: "texts")
        #expect(try await world.cache.validate())
        #expect(try await world.store.retrieve("texts") == nil)
    }

    @Test("Nothing saved is nothing to delete")
    func empty() async throws {
        #expect(try await world.cache.validate() == false)
    }

    @Test("A failure to delete is delivered, and the copy is still there")
    func deletionError() async throws {
        try await world.save(["a"], age: .days(7))
        world.store.fail(.update, with: .readOnly(path: "/store"))
        let error = await failure { () async throws(StoreError) in try await world.cache.validate() }
        #expect(error == .readOnly(path: "/store"))
        #expect(try await world.saved()?.texts == ["a"])
    }

    @Test("Judging and deleting are one step: a copy saved meanwhile is safe")
    func atomic() async throws {
        try await world.save(["old"], age: .days(7))
        try await world.cache.validate()
        #expect(world.store.calls == [.update("texts", .delete)])
    }
}

@Suite("Cache the value", .timeLimit(.minutes(10)))
struct SaveToCacheTests {
    private let world = World()

    @Test("Primary course: encodes, stamps and saves in place of the old, and delivers success")
    func primaryCourse() async throws {
        try await world.save(["old"], age: .days(3))
        let stamp = try await world.cache.save(["new"], validators: Validators(etag: "\"1\""))
        let saved = try #require(try await world.saved())
        #expect(saved.texts == ["new"])
        #expect(saved.entry.savedAt == world.date.now && stamp == world.date.now)
        #expect(saved.entry.validators.etag == "\"1\"")
    }

    @Test("Deleting the old and saving the new are one step: there is no moment without a copy")
    func atomic() async throws {
        try await world.cache.save(["new"])
        guard case .insert? = world.store.calls.first, world.store.calls.count == 1 else {
            Issue.record("made \(world.store.calls)")
            return
        }
    }

    @Test("Saving error course: delivers the error, and the old copy is still there")
    func savingError() async throws {
        try await world.save(["old"])
        world.store.fail(.insert, with: .full(path: "/store"))
        let error = await failure { () async throws(StoreError) in try await world.cache.save(["new"]) }
        #expect(error == .full(path: "/store"))
        #expect(try await world.saved()?.texts == ["old"])
    }

    @Test("A value that cannot be encoded is an error before the old copy is touched")
    func encodingError() async throws {
        let cache = Cache<Double>(key: "number", in: world.store, now: world.date.read)
        try await cache.save(1)
        world.store.forgetCalls()
        let error = await failure { () async throws(StoreError) in try await cache.save(.nan) }
        guard case .failed(operation: "encode \"number\"", _)? = error else {
            Issue.record("threw \(String(describing: error))")
            return
        }
        #expect(world.store.calls.isEmpty)
        #expect(try await cache.load()?.value == 1)
    }

    @Test("A migrated value has the stamp that it had elsewhere, and is as old as that says")
    func migrated() async throws {
        let stamp = world.date.now - 86_400 * 6
        #expect(try await world.cache.save(["old"], savedAt: stamp, validators: Validators(etag: "\"1\"")))
        let saved = try #require(try await world.cache.load())
        #expect(saved.value == ["old"] && saved.savedAt == stamp && saved.validators == Validators(etag: "\"1\""))
        world.date.advance(by: 86_400)
        #expect(try await world.cache.load() == nil)
    }

    @Test("A migrated value replaces what is older or damaged, and nothing that is newer")
    func migratedBesideOthers() async throws {
        let start = world.date.now
        try await world.save(["newer"], age: .seconds(60))
        #expect(try await !world.cache.save(["old"], savedAt: start - 1))
        #expect(try await world.saved()?.texts == ["newer"])
        #expect(try await world.cache.save(["newest"], savedAt: start + 1))
        #expect(try await world.saved()?.texts == ["newest"])
        try await world.cache.amend { $0 + ["changed here"] }
        #expect(try await !world.cache.save(["newest"], savedAt: start + 1))
        #expect(try await world.saved()?.texts == ["newest", "changed here"])

        try await world.store.insert(StoredEntry(bytes: Data("torn".utf8), savedAt: world.date.now), for: "texts")
        #expect(try await world.cache.save(["old"], savedAt: start - 1))
        #expect(try await world.saved()?.texts == ["old"])
    }

    @Test("A migrated value is not saved over what the system could not read: it may be newer")
    func migratedOverUnknown() async throws {
        try await world.save(["newer"])
        world.store.fail(.update, with: .busy(path: "/store"))
        let error = await failure { () async throws(StoreError) in
            try await world.cache.save(["old"], savedAt: world.date.now)
        }
        #expect(error == .busy(path: "/store"))
        #expect(try await world.saved()?.texts == ["newer"])
    }

    @Test("A codable value is of the kind that it was given, and so may be evicted")
    func kind() async throws {
        let cache = Cache<[String]>(key: "texts", in: world.store, kind: .data, now: world.date.read)
        try await cache.save(["a"])
        #expect(try await world.saved()?.entry.kind == .data)
        try await world.cache.save(["a"])
        #expect(try await world.saved()?.entry.kind == .value)
    }

    @Test("Clearing leaves nothing; a deletion failure is delivered, and the copy is still there")
    func clear() async throws {
        try await world.save(["a"])
        world.store.fail(.delete, with: .readOnly(path: "/store"))
        #expect(
            await failure { () async throws(StoreError) in try await world.cache.clear() } == .readOnly(path: "/store"))
        #expect(try await world.saved()?.texts == ["a"])
        world.store.heal()
        try await world.cache.clear()
        #expect(try await world.saved() == nil)
    }
}

@Suite("Amend the saved value", .timeLimit(.minutes(10)))
struct AmendCacheTests {
    private let world = World()

    @Test("The value changes, its stamp does not: nothing looks fresher than it is; validators are dropped")
    func keepsStamp() async throws {
        try await world.save(["a"], validators: Validators(etag: "\"1\""), age: .days(3))
        let before = try #require(try await world.saved())
        try await world.cache.amend { $0 + ["b"] }
        let after = try #require(try await world.saved())
        #expect(after.texts == ["a", "b"])
        #expect(after.entry.savedAt == before.entry.savedAt)
        #expect(after.entry.validators == .none)
    }

    @Test("What has expired, or is not there, is not amended", arguments: [true, false])
    func notFresh(saved: Bool) async throws {
        if saved { try await world.save(["a"], age: .days(7)) }
        try await world.cache.amend { $0 + ["b"] }
        #expect(try await world.saved()?.texts == (saved ? ["a"] : nil))
    }

    @Test("Many who update at once, from nothing saved on, lose nothing of each other's")
    func updatesAtOnce() async throws {
        let cache = world.cache
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await cache.update { ($0 ?? []) + ["\(number)"] } } }
            try await group.waitForAll()
        }
        #expect(try await cache.load().map { Set($0.value) } == Set((0..<100).map { "\($0)" }))
    }

    @Test("An update stamps with the time, and begins anew where nothing that can be shown is saved")
    func updates() async throws {
        try await world.save(["old"], age: .days(7))
        try await world.cache.update { ($0 ?? []) + ["a"] }
        world.date.advance(by: 60)
        try await world.cache.update { ($0 ?? []) + ["b"] }
        let saved = try await world.cache.load()
        #expect(saved?.value == ["a", "b"] && saved?.savedAt == world.date.now)
        try await world.cache.update { _ in nil }
        #expect(try await world.cache.load() == saved)
    }

    @Test("An update returns the value that is then saved")
    func updateReturns() async throws {
        #expect(try await world.cache.update { _ in nil } == nil)
        #expect(try await world.cache.update { ($0 ?? []) + ["a"] } == ["a"])
        #expect(try await world.cache.update { _ in nil } == ["a"])
    }

    @Test("Many who amend at once lose nothing of each other's")
    func concurrent() async throws {
        try await world.save([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 { group.addTask { try await world.cache.amend { $0 + ["\(number)"] } } }
            try await group.waitForAll()
        }
        #expect(Set(try await world.saved()?.texts ?? []).count == 100)
    }
}
