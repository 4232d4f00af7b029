import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Machines that share a store load once for all", .timeLimit(.minutes(5)))
struct LoadLeasesTests {
    private let place = MemoryLeases()
    private let store = FaultyStore(RepeatingStore())
    private let client = ScriptedHTTPClient()
    private let clock = ManualClock()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    @Test("leases in memory keep the contract", arguments: LoadLeasesContract.checks(for: .memory))
    func contract(_ check: LoadLeasesContract.Check) async throws { try await check.run(.memory) }

    @Test("leases of a scope keep the contract", arguments: LoadLeasesContract.checks(for: .scoped))
    func scopedContract(_ check: LoadLeasesContract.Check) async throws { try await check.run(.scoped) }

    /// A machine: its resource, over the shared store.
    private func machine(
        _ leases: (any LoadLeases)? = nil, key: String = "texts", askAfter: Duration = .zero, in scope: String? = nil,
        isTiered: Bool = false
    ) -> Resource<[String]> {
        let place =
            isTiered ? TieredStore(memory: .megabytes(1), over: DeafStore(base: store)) : store as any CacheStore
        let base = LeasingStore(place, leases: leases ?? self.place.machine())
        let shared: any CacheStore = scope.map { Scope($0, in: base).store } ?? base
        let request = HTTPRequest(.get, URL(string: "http://feed.example/")!)
        let remote = RemoteLoader<[String]>(request, client: client) { head, body in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return try JSONDecoder().decode([String].self, from: body)
        }
        let cache = Cache<[String]>(
            key: key, in: shared, policy: CachePolicy(askAfter: askAfter), now: date.read)
        return Resource(remote: remote, cache: cache, clock: clock)
    }

    /// Loads, and waits until the machine waits for another one.
    private func waiting(_ machine: Resource<[String]>) async -> Task<Loaded<[String]>, any Error> {
        let before = clock.sleepers.count { $0 == .milliseconds(250) }
        let task = Task { try await machine.load() }
        #expect(await eventually { clock.sleepers.count { $0 == .milliseconds(250) } > before })
        return task
    }

    private func answer(_ exchange: ScriptedExchange, _ text: String) {
        // An answer comes after its request: what has the stamp of its request was made here.
        date.advance(by: 0.1)
        exchange.respond(body: Data("[\"\(text)\"]".utf8))
    }

    @Test("three machines with 300 callers each ask the remote once")
    func herd() async throws {
        let machines = (0..<3).map { _ in machine() }
        let loads = machines.flatMap { machine in (0..<300).map { _ in Task { try await machine.load() } } }
        let exchange = await client.exchange(0)
        #expect(await eventually { machines.allSatisfy { $0.waiters == 300 } })
        #expect(await eventually { clock.sleepers.count { $0 == .milliseconds(250) } == 2 })
        answer(exchange, "shared")
        for load in loads {
            let loaded = try await load.value
            #expect(loaded.value == ["shared"] && loaded.source == .remote)
        }
        #expect(client.requests.count == 1 && place.granted == 1)
    }

    @Test("a machine that waits delivers what was saved, and no copy of before that a tier has in memory")
    func noCopy() async throws {
        let mine = machine(isTiered: true)
        let before = Task { try await mine.load() }
        answer(await client.exchange(0), "old")
        #expect(try await before.value.value == ["old"])
        #expect(try await mine.saved()?.value == ["old"])
        let others = Task { [other = machine()] in try await other.load() }
        let exchange = await client.exchange(1)
        let load = await waiting(mine)
        answer(exchange, "new")
        #expect(try await others.value.value == ["new"])
        #expect(try await load.value.value == ["new"])
    }

    @Test("a machine that waits takes over when the load of another one fails, and never throws its error")
    func failedHolder() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let second = await waiting(machine())
        exchange.respond(status: 500)
        await #expect(throws: LoadError.invalidData(.status(500))) { try await first.value }
        answer(await client.exchange(1), "own")
        #expect(try await second.value.value == ["own"])
    }

    @Test("after the second failure of others, a machine asks without a lease: many failures are no queue")
    func manyFailures() async throws {
        let loads = [Task { [one = machine()] in try await one.load() }]
        let exchange = await client.exchange(0)
        var waiters: [Task<Loaded<[String]>, any Error>] = []
        for _ in 0..<4 { waiters.append(await waiting(machine())) }
        exchange.respond(status: 500)
        await client.exchange(1).respond(status: 500)
        // The third holder, and all who have seen two failures.
        for number in 2..<5 { await client.exchange(number).respond(status: 500) }
        for load in loads + waiters { await #expect(throws: LoadError.self) { try await load.value } }
        #expect(client.requests.count == 5)
    }

    @Test("a machine that dies is followed by another as soon as that looks again")
    func deadHolder() async throws {
        let leases = place.machine()
        let first = Task { [one = machine(leases)] in try await one.load() }
        _ = await client.exchange(0)
        let second = await waiting(machine())
        leases.die()
        clock.advance(by: .milliseconds(250))
        answer(await client.exchange(1), "own")
        #expect(try await second.value.value == ["own"])
        first.cancel()
    }

    @Test("a caller who leaves ends the lease: another machine asks at once")
    func cancelledHolder() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        _ = await client.exchange(0)
        let second = await waiting(machine())
        first.cancel()
        await #expect(throws: LoadError.cancelled) { try await first.value }
        answer(await client.exchange(1), "own")
        #expect(try await second.value.value == ["own"])
    }

    @Test("a caller who leaves while another machine loads waits no longer")
    func cancelledWaiter() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let second = await waiting(machine())
        second.cancel()
        await #expect(throws: LoadError.cancelled) { try await second.value }
        answer(exchange, "shared")
        #expect(try await first.value.value == ["shared"])
        #expect(client.requests.count == 1)
    }

    @Test("an end of which nobody is told is found by looking")
    func lostNotice() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let deaf = DeafStore(base: LeasingStore(store, leases: DeafLeases(base: place.machine())))
        let cache = Cache<[String]>(key: "texts", in: deaf, now: date.read)
        let second = await waiting(Resource(remote: machine().remote, cache: cache, clock: clock))
        answer(exchange, "shared")
        _ = try await first.value
        clock.advance(by: .milliseconds(250))
        #expect(try await second.value.value == ["shared"])
        #expect(client.requests.count == 1)
    }

    @Test("a slow holder renews its lease, and the others wait; after a minute they ask themselves")
    func slowHolder() async throws {
        let slow = MemoryLeases(now: date.read)
        let first = Task { [one = machine(slow.machine())] in try await one.load() }
        let exchange = await client.exchange(0)
        let second = await waiting(machine(slow.machine()))
        for _ in 0..<18 {
            // Four times the span of the lease, and renewed in time.
            #expect(await eventually { clock.sleepers.contains { $0 > .seconds(3) && $0 < .seconds(4) } })
            #expect(await eventually { clock.sleepers.contains(.milliseconds(250)) })
            date.advance(by: 10.0 / 3)
            clock.advance(by: .seconds(10) / 3)
        }
        #expect(client.requests.count == 1)
        clock.advance(by: .minutes(1))
        answer(await client.exchange(1), "own")
        #expect(try await second.value.value == ["own"])
        answer(exchange, "late")
        _ = try await first.value
    }

    @Test("leases that fail stop no load: each machine asks")
    func failingLeases() async throws {
        let loads = (0..<2).map { _ in Task { [one = machine(BrokenLeases(answers: true))] in try await one.load() } }
        for number in 0..<2 { answer(await client.exchange(number), "own") }
        for load in loads { #expect(try await load.value.value == ["own"]) }
    }

    @Test("leases that do not answer stop a load for two seconds at most, and what they grant later is ended")
    func hangingLeases() async throws {
        let leases = BrokenLeases(answers: false)
        let load = Task { [one = machine(leases)] in try await one.load() }
        #expect(await eventually { clock.sleepers.contains(.seconds(2)) })
        clock.advance(by: .seconds(2))
        answer(await client.exchange(0), "own")
        #expect(try await load.value.value == ["own"])
        leases.gate.open()
        #expect(await eventually { leases.ended.withLock { $0 } == [7] })
    }

    @Test("who asks for the latest gets a load that began after that, and shares it")
    func reload() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let machines = [machine(), machine()]
        let reloads = machines.map { machine in Task { try await machine.reload() } }
        #expect(await eventually { clock.sleepers.count { $0 == .milliseconds(250) } == 2 })
        answer(exchange, "old")
        #expect(try await first.value.value == ["old"])
        // One of the two asks, and the other one takes that: it began after both had asked.
        date.advance(by: 1)
        let second = await client.exchange(1)
        #expect(await eventually { clock.sleepers.contains(.milliseconds(250)) })
        answer(second, "new")
        for reload in reloads { #expect(try await reload.value.value == ["new"]) }
        #expect(client.requests.count == 2)
    }

    @Test("who asks for the latest does not take the load for which an earlier caller of this machine waits")
    func reloadBesideWaiting() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let two = machine()
        let waiter = await waiting(two)
        let reload = Task { try await two.reload() }
        #expect(await eventually { two.waiters == 2 })
        answer(exchange, "old")
        #expect(try await waiter.value.value == ["old"])
        date.advance(by: 1)
        answer(await client.exchange(1), "new")
        #expect(try await reload.value.value == ["new"])
        _ = try await first.value
    }

    @Test("a holder that was paused beyond its lease does not overwrite what a later one has saved")
    func fencing() async throws {
        let leases = MemoryLeases(now: date.read)
        let paused = Task { [one = machine(leases.machine())] in try await one.load() }
        let exchange = await client.exchange(0)
        // Nobody renews the lease: the clock of the paused machine stands still.
        date.advance(by: 11)
        let second = Task { [two = machine(leases.machine())] in try await two.load() }
        answer(await client.exchange(1), "new")
        #expect(try await second.value.value == ["new"])
        answer(exchange, "old")
        #expect(try await paused.value.value == ["new"])
        #expect(try await machine().saved()?.value == ["new"])
        // Its end is no end of a load that others wait for.
        let third = try await leases.machine().take("texts", for: .seconds(10), unlessSavedSince: 2)
        #expect(third == .saved(2))
    }

    @Test("a copy that became young enough while the lease was asked for is delivered without a request")
    func becameRecent() async throws {
        let place = MemoryLeases()
        let slow = SlowLeases(base: place.machine())
        let load = Task { [one = machine(slow, askAfter: .seconds(30))] in try await one.load() }
        #expect(await eventually { slow.asked.withLock { $0 } })
        try await machine(place.machine()).cache.save(["other's"])
        slow.gate.open()
        #expect(try await load.value.value == ["other's"])
        #expect(client.requests.count == 0)
    }

    @Test("a value that is made invalid while another machine loads it is asked for again")
    func invalidated() async throws {
        let first = Task { [one = machine()] in try await one.load() }
        let exchange = await client.exchange(0)
        let two = machine()
        let second = await waiting(two)
        try await two.invalidate()
        answer(exchange, "old")
        // The holder asks once more, because its answer is older than the invalidation.
        answer(await client.exchange(1), "new")
        #expect(try await first.value.value == ["new"])
        // Whoever has made it invalid asks, too: nobody tells when the other one has learnt of that.
        answer(await client.exchange(2), "newest")
        #expect(try await second.value.value == ["newest"])
    }

    @Test("users in scopes wait for nobody else's loads")
    func scopes() async throws {
        let loads = ["ada", "ben"].map { user in Task { [one = machine(in: user)] in try await one.load() } }
        let exchanges = [await client.exchange(0), await client.exchange(1)]
        for exchange in exchanges { answer(exchange, "own") }
        for load in loads { #expect(try await load.value.value == ["own"]) }
    }
}

extension LoadLeasesContract.Subject {
    fileprivate static var memory: Self {
        let date = ManualDate(Date(timeIntervalSince1970: 0))
        return Self(
            make: {
                let place = MemoryLeases(now: date.read)
                return [place.machine(), place.machine()]
            },
            expire: { _ in date.advance(by: 601) },
            kill: { (try #require($0 as? MemoryLeases.Machine)).die() })
    }

    fileprivate static var scoped: Self {
        let date = ManualDate(Date(timeIntervalSince1970: 0))
        return Self(
            make: {
                let (place, store) = (MemoryLeases(now: date.read), MemoryStore())
                return try (0..<2).map { _ in
                    try #require(Scope("ada", in: LeasingStore(store, leases: place.machine())).store.leases)
                }
            },
            expire: { _ in date.advance(by: 601) })
    }
}

/// Leases whose ends nobody is told.
private struct DeafLeases: LoadLeases {
    let base: any LoadLeases
    let ends = StoreChanges()

    func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        try await base.take(key, for: span, unlessSavedSince: number)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        try await base.renew(key, number, for: span)
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        try await base.end(key, number, isSaved: isSaved)
    }
}

/// A store whose changes nobody is told.
private struct DeafStore: ForwardingStore {
    let base: any CacheStore
    let changes = StoreChanges()
}

/// Leases that fail, or that do not answer until a gate is opened.
private final class BrokenLeases: LoadLeases {
    let answers: Bool
    let gate = Gate()
    let ended = Locked([UInt64]())
    let ends = StoreChanges()

    init(answers: Bool) { self.answers = answers }

    func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        if answers { throw .failed(operation: "lease", reason: "out of reach") }
        await gate.wait()
        return .granted(7)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool { true }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        ended.withLock { $0.append(number) }
    }
}

/// Leases that are granted when a gate is opened.
private final class SlowLeases: LoadLeases {
    let base: any LoadLeases
    let gate = Gate()
    let asked = Locked(false)
    var ends: StoreChanges { base.ends }

    init(base: any LoadLeases) { self.base = base }

    func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        asked.withLock { $0 = true }
        await gate.wait()
        return try await base.take(key, for: span, unlessSavedSince: number)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        try await base.renew(key, number, for: span)
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        try await base.end(key, number, isSaved: isSaved)
    }
}
