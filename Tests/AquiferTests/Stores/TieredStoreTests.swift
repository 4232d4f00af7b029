import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Stores with faster ones before them", .timeLimit(.minutes(10)))
struct TieredStoreTests {
    @Test("The bytes in memory and the entries that were forgotten to make room are told")
    func memoryUse() async throws {
        let store = TieredStore(memory: .bytes(4_000), over: MemoryStore())
        #expect(store.memoryUse == (0, 0))
        for number in 0..<20 {
            try await store.insert(StoredEntry(bytes: Data(count: 500), savedAt: Date()), for: "\(number)")
            _ = try await store.retrieve("\(number)")
        }
        #expect(store.memoryUse.bytes > 500 && store.memoryUse.bytes <= 4_000)
        // Two of these fit into a half of the memory.
        #expect(store.memoryUse.evictions == 16)
    }

    @Test("An entry that is read from a copy is used: a store beneath that evicts keeps it", arguments: [true, false])
    func evicting(inMemory: Bool) async throws {
        let truth = EvictingStore(MemoryStore(), bound: 1_000)
        let bound = TieredStore.Bound.bytes(inMemory ? 100_000 : 0)
        let store = TieredStore(memory: bound, over: MemoryStore(), over: truth)
        func data(_ second: Int) -> StoredEntry {
            StoredEntry(
                bytes: Data(count: 300), savedAt: Date(timeIntervalSinceReferenceDate: Double(second)), kind: .data)
        }
        try await store.insert(data(0), for: "hot")
        _ = try await store.retrieve("hot")
        for number in 1...9 {
            try await store.insert(data(number), for: "cold \(number)")
            #expect(try await store.retrieve("hot") == data(0))
        }
        #expect(try await truth.contents().entries.map(\.key).sorted() == ["cold 8", "cold 9", "hot"])
    }

    @MainActor
    @Test(
        "What memory has is given to the main actor without a wait: nothing else runs there meanwhile",
        arguments: [true, false])
    func mainActor(isTiered: Bool) async throws {
        let memory = MemoryStore()
        try await memory.insert(StoredEntry(bytes: Data("a".utf8), savedAt: Date()), for: "key")
        let store: any CacheStore = isTiered ? TieredStore(memory: .megabytes(1), over: memory) : memory
        _ = try await store.retrieve("key")
        var hasRun = false
        let other = Task { @MainActor in hasRun = true }
        for _ in 0..<100 { #expect(try await store.retrieve("key")?.bytes == Data("a".utf8)) }
        #expect(!hasRun)
        await other.value
        #expect(hasRun)
    }

    @Test("memory over a store keeps the contract", arguments: CacheStoreContract.checks(for: .memoryOverMemory))
    func memory(check: CacheStoreContract.Check) async throws {
        try await check.run(.memoryOverMemory)
    }

    @Test(
        "memory over a cache over a store keeps the contract", arguments: CacheStoreContract.checks(for: .threeTiers))
    func threeTiers(check: CacheStoreContract.Check) async throws {
        try await check.run(.threeTiers)
    }

    /// Files that are watched tell a change of this instance a second time, later. So there is no call of which nothing is told.
    private static let checksOfFiles = CacheStoreContract.checks(for: .overFiles(in: .none)).filter {
        $0.name != "nothing is told of a call that changes nothing"
    }

    @Test("a cache over files keeps the contract", arguments: checksOfFiles)
    func overFiles(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.overFiles(in: folder)) }
    }

    @Test("An entry is read from the truth once, then from memory; another machine reads it from the cache")
    func hits() async throws {
        let (truth, cache) = (FaultyStore(), MemoryStore())
        try await truth.insert(entry("a"), for: "a")
        truth.forgetCalls()
        // It hears nothing of the change before it: the copies that it makes stay.
        let store = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        for _ in 0..<3 { #expect(try await store.retrieve("a") == entry("a")) }
        let other = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        for _ in 0..<3 { #expect(try await other.retrieve("a") == entry("a")) }
        #expect(truth.calls == [.retrieve("a")])
        // Nobody knows that a key stays empty.
        for _ in 0..<2 { #expect(try await store.retrieve("none") == nil) }
        #expect(truth.calls.count == 3)
        #expect(try await cache.contents().entries.map(\.key) == ["a"])
    }

    @Test("A change by another machine takes the copies away, before it is told")
    func elsewhere() async throws {
        let (truth, cache) = (MemoryStore(), MemoryStore())
        let store = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        let other = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        try await truth.insert(entry("a"), for: "a")
        #expect(try await store.retrieve("a") == entry("a"))
        let (told, continuation) = AsyncStream<StoreChange>.makeStream()
        let observation = store.changes.observe { continuation.yield($0) }
        var iterator = told.makeAsyncIterator()
        try await other.insert(entry("b"), for: "a")
        #expect(await iterator.next() == .entry("a"))
        #expect(try await store.retrieve("a") == entry("b"))
        try await other.deleteAll(prefix: "")
        // A change may be told twice.
        while let change = await iterator.next(), change != .prefix("") { #expect(change == .entry("a")) }
        #expect(try await store.retrieve("a") == nil)
        observation.cancel()
    }

    @Test("What was read before a change, and comes after it, is not kept: neither in memory nor in the cache")
    func lateReading() async throws {
        let gate = Gate()
        let (truth, cache) = (MemoryStore(), MemoryStore())
        try await truth.insert(entry("old"), for: "a")
        let reading = Gate()
        let slow = SlowReads(base: truth, gate: gate, reading: reading)
        let store = TieredStore(memory: .megabytes(1), over: cache, over: slow)
        async let early = store.retrieve("a")
        await reading.wait()
        try await TieredStore(memory: .bytes(0), over: cache, over: truth).insert(entry("new"), for: "a")
        gate.open()
        // The reader began before the change.
        #expect(try await early == entry("old"))
        #expect(try await store.retrieve("a") == entry("new"))
        #expect(try await TieredStore(memory: .bytes(0), over: cache, over: truth).retrieve("a") == entry("new"))
    }

    @Test("A cache that could not delete a copy is not read until all of its copies are deleted")
    func doubt() async throws {
        let (truth, cache, clock) = (MemoryStore(), FaultyStore(), ManualClock())
        let store = TieredStore(memory: .bytes(0), over: cache, over: truth, clock: clock)
        try await store.insert(entry("old"), for: "a")
        #expect(try await store.retrieve("a") == entry("old"))
        cache.fail(.delete, .deleteAll, with: .failed(operation: "delete", reason: "away"))
        try await store.insert(entry("new"), for: "a")
        #expect(try await store.retrieve("a") == entry("new"))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers(1)
        #expect(try await cache.retrieve("a") == entry("old"))
        cache.heal()
        clock.advance(by: .seconds(1))
        #expect(try await eventually { try await cache.retrieve("a") == nil })
        let isFilled = try await eventually {
            #expect(try await store.retrieve("a") == entry("new"))
            return try await cache.retrieve("a") == entry("new")
        }
        #expect(isFilled)
    }

    @Test("A cache that hangs holds up one change, not those after it; then all copies go, those of later changes, too")
    func hanging() async throws {
        let (truth, copies, clock) = (MemoryStore(), MemoryStore(), ManualClock())
        let cache = SlowDeletes(base: copies)
        cache.answer.open()
        let store = TieredStore(memory: .bytes(0), over: cache, over: truth, clock: clock)
        for key in ["a", "b"] { try await copies.insert(entry("old"), for: key) }
        async let first: Void = store.insert(entry("new"), for: "a")
        await cache.deleting.wait()
        async let second: Void = store.insert(entry("new"), for: "b")
        cache.refusal.withLock { $0 = .failed(operation: "delete", reason: "no answer in 5 s") }
        cache.gate.open()
        _ = try await (first, second)
        // Neither the change that waited behind the first one, nor a later one, has asked the cache.
        try await store.insert(entry("newer"), for: "b")
        #expect(cache.deletes.withLock { $0 } == ["a"])
        #expect(try await copies.retrieve("b") == entry("old"))
        #expect(try await store.retrieve("b") == entry("newer"))
        // A change that comes while all entries are being deleted is made after that.
        cache.refusal.withLock { $0 = nil }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await cache.clearing.wait()
        try await store.insert(entry("newest"), for: "b")
        #expect(cache.deletes.withLock { $0 } == ["a"])
        cache.clear.open()
        #expect(await eventually { cache.deletes.withLock { $0 } == ["a", "b"] })
        let isFilled = try await eventually {
            #expect(try await store.retrieve("b") == entry("newest"))
            return try await copies.retrieve("b") == entry("newest")
        }
        #expect(isFilled)
    }

    @Test(
        "What a reader takes from the cache while the copy there is being deleted is not kept in memory",
        arguments: [true, false], [true, false])
    func readWhileDeleting(isCertain: Bool, isLate: Bool) async throws {
        let truth: any CacheStore = isCertain ? MemoryStore() : LateFailure(base: MemoryStore())
        let cache = SlowDeletes(base: MemoryStore())
        try await cache.base.insert(entry("old"), for: "a")
        let store = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        let change = Task { try await store.insert(entry("new"), for: "a") }
        await cache.deleting.wait()
        let reader = Task { try await store.retrieve("a") }
        await cache.reading.wait()
        // The change has not returned, so that this reader may be given what was there before.
        if !isLate {
            cache.answer.open()
            #expect(try await reader.value == entry("old"))
        }
        cache.gate.open()
        switch (await change.result, isCertain) {
        case (.success, true), (.failure, false): break
        case (let result, _): Issue.record("the change ended with \(result)")
        }
        cache.answer.open()
        #expect(try await reader.value == entry("old"))
        #expect(try await store.retrieve("a") == entry("new"))
    }

    @Test("A cache that fails, or has a damaged copy, is passed over")
    func failing() async throws {
        let (truth, cache) = (MemoryStore(), FaultyStore())
        let store = TieredStore(memory: .bytes(0), over: cache, over: truth)
        try await truth.insert(entry("a"), for: "a")
        for error in [StoreError.unreadable(key: "a", reason: "flipped"), .busy(path: "/cache")] {
            cache.fail(.retrieve, .update, with: error)
            #expect(try await store.retrieve("a") == entry("a"))
        }
        cache.heal()
        cache.fail(.insert, .save, with: .full(path: "/cache"))
        #expect(try await store.retrieve("a") == entry("a"))
    }

    @Test("A change whose outcome the truth does not know takes the copies away")
    func uncertain() async throws {
        let truth = FaultyStore()
        let store = TieredStore(memory: .megabytes(1), over: truth)
        try await truth.insert(entry("old"), for: "a")
        #expect(try await store.retrieve("a") == entry("old"))
        let inner = MemoryStore()
        try await inner.insert(entry("new"), for: "a")
        let doubtful = LateFailure(base: truth)
        let hot = TieredStore(memory: .megabytes(1), over: doubtful)
        #expect(try await hot.retrieve("a") == entry("old"))
        await #expect(throws: StoreError.self) { try await hot.insert(entry("new"), for: "a") }
        #expect(try await hot.retrieve("a") == entry("new"))
    }

    @Test("A deletion takes the copies of what another machine has deleted, too", arguments: [true, false])
    func deletedElsewhere(isPrefix: Bool) async throws {
        let (truth, cache) = (QuietStore(base: MemoryStore()), MemoryStore())
        let store = TieredStore(memory: .megabytes(1), over: cache, over: truth)
        try await truth.insert(entry("old"), for: "a")
        #expect(try await store.retrieve("a") == entry("old"))
        try await truth.delete("a")
        if isPrefix { try await store.deleteAll(prefix: "a") } else { try await store.delete("a") }
        #expect(try await store.retrieve("a") == nil)
        #expect(try await cache.retrieve("a") != entry("old"))
    }

    @Test("Memory keeps what is read, and stays within its bound")
    func bound() throws {
        var memory = MemoryTier(bound: 100_000)
        for number in 0..<1_000 {
            let key = StoreKey("key \(number)")
            memory.end(memory.begin(key), key, entry(String(repeating: "x", count: 1_000)))
            // The first one is read all the time.
            _ = memory.entry(StoreKey("key 0"))
            #expect(memory.size <= 100_000)
        }
        #expect(memory.entry(StoreKey("key 0")) != nil)
        #expect(memory.entry(StoreKey("key 999")) != nil)
        #expect(memory.entry(StoreKey("key 500")) == nil)
        let large = StoreKey("large")
        memory.end(memory.begin(large), large, entry(String(repeating: "x", count: 60_000)))
        #expect(memory.entry(large) == nil)
        memory.forget(.prefix("key"))
        #expect(memory.size == 0)
    }

    @Test("No machine reads its own change as it was before, and at the end all read the truth")
    func race() async throws {
        let (truth, cache) = (MemoryStore(), MemoryStore())
        let machines = (0..<3).map { _ in TieredStore(memory: .bytes(2_000), over: cache, over: truth) }
        let keys = (0..<8).map { "key \($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, store) in machines.enumerated() {
                for key in keys {
                    group.addTask {
                        // Each machine counts in a place of its own in the entry.
                        for count in 1...30 {
                            try await store.update(key) { found throws(StoreError) in
                                var counts = try found.get().map { [UInt8]($0.bytes) } ?? [0, 0, 0]
                                counts[place] = UInt8(count)
                                return .replace(
                                    StoredEntry(bytes: Data(counts), savedAt: Date(timeIntervalSince1970: 0)))
                            }
                            let found = try await store.retrieve(key)
                            #expect([UInt8](found?.bytes ?? Data())[place] == UInt8(count))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in machines {
            for key in keys { #expect(try await store.retrieve(key)?.bytes == Data([30, 30, 30])) }
        }
        for key in keys { #expect(try await cache.retrieve(key)?.bytes == Data([30, 30, 30])) }
    }
}

private func entry(_ text: String) -> StoredEntry {
    StoredEntry(bytes: Data(text.utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))
}

/// A store whose readings are held up by a gate, after they have read.
private struct SlowReads: ForwardingStore {
    let base: any CacheStore
    let gate: Gate
    let reading: Gate

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let found = try await base.retrieve(key)
        reading.open()
        await gate.wait()
        return found
    }
}

/// A store whose deletions, and the answers of whose readings, wait for their gates.
private struct SlowDeletes: ForwardingStore {
    let base: any CacheStore
    let deleting = Gate()
    let gate = Gate()
    let clearing = Gate()
    let clear = Gate()
    let reading = Gate()
    let answer = Gate()
    /// The keys of all deletions.
    let deletes = Locked<[String]>([])
    /// The error of the deletions of one entry.
    let refusal = Locked<StoreError?>(nil)

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        let found = try await base.retrieve(key)
        reading.open()
        await answer.wait()
        return found
    }

    func delete(_ key: String) async throws(StoreError) {
        deletes.withLock { $0.append(key) }
        deleting.open()
        await gate.wait()
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        try await base.delete(key)
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        clearing.open()
        await clear.wait()
        try await base.deleteAll(prefix: prefix)
    }
}

/// A store that tells no change.
private struct QuietStore: ForwardingStore {
    let base: any CacheStore
    let changes = StoreChanges()
}

/// A store that writes, and then says that it does not know; it tells no change.
private struct LateFailure: ForwardingStore {
    let base: any CacheStore
    let changes = StoreChanges()

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await base.insert(entry, for: key)
        throw .uncertain(operation: "save", reason: "the connection broke")
    }
}

extension CacheStoreContract.Subject {
    fileprivate static let memoryOverMemory = Self(make: {
        TieredStore(memory: .megabytes(1), over: MemoryStore())
    })

    fileprivate static let threeTiers = Self(
        make: { TieredStore(memory: .megabytes(1), over: MemoryStore(), over: MemoryStore()) },
        makeFailing: { entries in
            let store = FaultyStore()
            for (key, entry) in entries { try await store.insert(entry, for: key) }
            store.fail(.insert, .delete, .deleteAll, .update, with: .full(path: "/none"))
            return TieredStore(memory: .megabytes(1), over: MemoryStore(), over: store)
        })

    /// A copy hides damage of the truth, so that there is none before the first reading. Another instance sees a change
    /// when it is told: that promise is left out.
    fileprivate static func overFiles(in folder: URL?) -> Self {
        let files = CacheStoreContract.Subject.files(in: folder ?? URL(fileURLWithPath: "/none"))
        var subject = Self(make: {
            let made = try await files.make()
            return Filed(try #require(made as? FileStore))
        })
        subject.corrupt = { key, store in
            let filed = try #require(store as? Filed)
            try await files.corrupt?(key, filed.files)
        }
        subject.damages = files.damages.map { damage in
            Damage(damage.name) { key, store in
                let filed = try #require(store as? Filed)
                try await damage.run(key, filed.files)
            }
        }
        return subject
    }
}

/// A cache over files, without memory.
private struct Filed: ForwardingStore {
    let files: FileStore
    let base: any CacheStore

    init(_ files: FileStore) {
        self.files = files
        base = TieredStore(memory: .bytes(0), over: MemoryStore(), over: files)
    }
}
