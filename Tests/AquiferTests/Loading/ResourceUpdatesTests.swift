import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A resource over time", .timeLimit(.minutes(10)))
struct ResourceUpdatesTests {
    private let offline = LoadError.connectivity(TransportError(.cannotConnect))

    /// A cache of the same entry, as another screen or process has it.
    private func other(_ world: World) -> Cache<[String]> { world.cache }

    @Test("The saved copy comes first, without a request; nothing is told where nothing is saved")
    func first() async throws {
        let world = World()
        var updates = world.resource().updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        try await world.save(["a"], age: .hours(1))
        let savedAt = world.date.now.addingTimeInterval(-3600)
        let copy = Loaded(["a"], source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt)
        #expect(await updates.next() == copy)
        var late = world.resource().updates.makeAsyncIterator()
        #expect(await late.next() == copy)
        #expect(world.client.requests.isEmpty)
    }

    @Test("A load is told as it was delivered, and reads nothing again")
    func load() async throws {
        let world = World(.texts(["a"]), .texts(["b"]))
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        let first = try await resource.load()
        #expect(first.source == .remote)
        #expect(await updates.next() == first)
        let second = try await resource.load()
        #expect(await updates.next() == second)
        let reads = world.store.calls.filter { $0 == .retrieve("texts") }
        #expect(reads.count == 3)  // one look, and one for each load
    }

    @Test("A fallback is told with the error behind it, and the next success without")
    func fallback() async throws {
        let world = World(.refused, .texts(["b"]))
        try await world.save(["a"])
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.source == .cache(savedAt: world.date.now, because: nil))
        let loaded = try await resource.load()
        #expect(await updates.next() == loaded)
        #expect(loaded.source == .cache(savedAt: world.date.now, because: offline))
        _ = try await resource.load()
        #expect(await updates.next()??.source == .remote)
    }

    @Test("A value that could not be saved is told, with the reason, each time")
    func unsaved() async throws {
        let world = World(.texts(["b"]), .texts(["c"]))
        try await world.save(["a"])
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        world.store.fail(.save, with: .full(path: "/store"))
        for text in ["b", "c"] {
            _ = try await resource.load()
            #expect(await updates.next() == Loaded([text], source: .remote, saveError: .full(path: "/store")))
        }
        world.store.heal()
        try await other(world).save(["d"])
        #expect(await updates.next()??.value == ["d"])
    }

    @Test("What others change in the saved copy is told: save, amend, update, and another resource's load")
    func others() async throws {
        let world = World(.texts(["d"]))
        var updates = world.resource().updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        try await other(world).save(["a"])
        #expect(await updates.next()??.value == ["a"])
        try await other(world).amend { $0 + ["b"] }
        #expect(await updates.next()??.value == ["a", "b"])
        world.date.advance(by: 1)
        try await other(world).update { _ in ["c"] }
        #expect(await updates.next()??.value == ["c"])
        _ = try await world.resource().load()
        let told = await updates.next()
        #expect(told == Loaded(["d"], source: .cache(savedAt: world.date.now, because: nil), savedAt: world.date.now))
    }

    @Test("A change that keeps the stamp keeps the source: an answer of the remote that was amended here")
    func amended() async throws {
        let world = World(.texts(["a"]))
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        _ = await updates.next()
        _ = try await resource.load()
        _ = await updates.next()
        world.date.advance(by: 1)
        try await other(world).amend { $0 + ["b"] }
        let told = await updates.next()
        #expect(told??.value == ["a", "b"] && told??.source == .remote)
    }

    @Test("A deleted copy is told as nothing to show, and so is one that everything was deleted around")
    func deleted() async throws {
        let world = World()
        try await world.save(["a"])
        var updates = world.resource().updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        try await other(world).clear()
        #expect(await updates.next() == .some(nil))
        try await world.save(["b"])
        #expect(await updates.next()??.value == ["b"])
        try await world.store.delete("texts")
        world.store.changes.post(.everything)
        #expect(await updates.next() == .some(nil))
    }

    @Test("A copy that expires is told as nothing to show, when its time has come")
    func expires() async throws {
        let world = World()
        let clock = ManualClock()
        try await world.save(["a"], age: .days(6))
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil)??.value == ["a"])
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.days(1)])
        // A renewed copy lives longer.
        try await other(world).save(["b"])
        #expect(await subscription.next(isolation: nil)??.value == ["b"])
        let next = Task { await subscription.next(isolation: nil) }
        world.date.advance(by: Duration.days(1).timeInterval)
        clock.advance(by: .days(1))
        #expect(await eventually { clock.sleepers == [.days(6)] })
        world.date.advance(by: Duration.days(6).timeInterval)
        clock.advance(by: .days(6))
        #expect(await next.value == .some(nil))
    }

    @Test("A copy that expired because the clock was set is handed to nobody", arguments: [-8, 8])
    func clockIsSet(days: Double) async throws {
        let world = World()
        try await world.save(["a"], age: .zero)
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        world.date.advance(by: days * 86_400)
        var late = resource.updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        #expect(await updates.next() == .some(nil))
        world.date.advance(by: -days * 86_400)
        try await other(world).save(["b"])
        #expect(await late.next()??.value == ["b"])
    }

    @Test("A value that the remote denies is told as nothing to show, until somebody saves another one")
    func denied() async throws {
        let world = World(.answer(status: 403), .texts(["b"]), .answer(status: 404))
        try await world.save(["a"])
        let resource = world.resource()
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        _ = await failure { () async throws(LoadError) in try await resource.load() }
        #expect(await updates.next() == .some(nil))
        // A follower that comes now is not shown it either.
        var late = resource.updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        world.store.changes.post(.everything)
        _ = try await resource.load()
        #expect(await updates.next()??.value == ["b"])
        #expect(await late.next()??.value == ["b"])
        _ = await failure { () async throws(LoadError) in try await resource.load() }
        #expect(await updates.next() == .some(nil))
        try await other(world).save(["c"])
        #expect(await updates.next()??.value == ["c"])
    }

    @Test("A denial is told to every instance, and known to those that come later, until another answer")
    func deniedElsewhere() async throws {
        let world = World(.answer(status: 403), .texts(["b"]))
        try await world.save(["a"], age: .zero)
        func resource() -> Resource<[String]> {
            let policy = CachePolicy(askAfter: .hours(1))
            let cache = Cache<[String]>(key: "texts", in: world.store, policy: policy, now: world.date.read)
            return Resource(remote: world.remote(), cache: cache)
        }
        let other = resource()
        var updates = other.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        _ = await failure { () async throws(LoadError) in try await resource().reload() }
        #expect(await updates.next() == .some(nil))
        let later = resource()
        var late = later.updates.makeAsyncIterator()
        #expect(await late.next() == .some(nil))
        #expect(try await later.load().value == ["b"])
        #expect(await late.next()??.value == ["b"])
        #expect(await updates.next()??.value == ["b"])
        #expect(try await other.load().value == ["b"])
        #expect(world.client.requests.count == 2)
    }

    @Test("A value that is too large to keep is shown; a change that is no change is passed over")
    func tooLarge() async throws {
        let world = World(.texts(["large"]))
        let store = EvictingStore(world.store, bound: 4)
        let cache = Cache<[String]>(key: "texts", in: store, kind: .data, now: world.date.read)
        let resource = Resource(remote: world.remote(), cache: cache)
        var updates = resource.updates.makeAsyncIterator()
        _ = await updates.next()
        let loaded = try await resource.load()
        #expect(await updates.next() == loaded)
        store.changes.post(.everything)
        try await world.save(["b"])
        #expect(await updates.next()??.value == ["b"])
    }

    @Test("An evicted copy stays on the screen")
    func evicted() async throws {
        let world = World()
        let store = EvictingStore(world.store, bound: 8)
        let cache = Cache<[String]>(key: "texts", in: store, kind: .data, now: world.date.read)
        try await cache.save(["a"])
        let resource = Resource(remote: world.remote(), cache: cache)
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil)??.value == ["a"])
        let next = Task { await subscription.next(isolation: nil) }
        world.date.advance(by: 1)
        try await store.insert(
            StoredEntry(bytes: Data(count: 8), savedAt: world.date.now, kind: .data), for: "large")
        #expect(try await store.retrieve("texts") == nil)
        #expect(await hasLooked(resource))
        #expect(subscription.current?.value == ["a"])
        try await other(world).save(["b"])
        #expect(await next.value??.value == ["b"])
    }

    /// Waits until the followers have looked at everything that they were told.
    private func hasLooked(_ resource: Resource<[String]>) async -> Bool {
        await eventually {
            resource.hub.withLock { $0 }?.state.withLock { !$0.mustLook && !$0.isLooking } ?? false
        }
    }

    @Test("What another saves is told, although a load ends at the same time whose answer may not be saved")
    func foreignSave() async throws {
        let world = World()
        let resource = world.resource()
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil) == .some(nil))
        let hub = try #require(resource.hub.withLock { $0 })
        hub.beginSave()
        try await other(world).save(["b"])
        hub.endSave(Loaded(["a"], source: .remote), .nothing)
        #expect(await subscription.next(isolation: nil)??.value == ["b"])
    }

    @Test("A slow reader gets the newest state, and a thousand changes are one look")
    func burst() async throws {
        let world = World()
        var updates = world.resource().updates.makeAsyncIterator()
        _ = await updates.next()
        for number in 0..<1000 { try await other(world).save(["\(number)"]) }
        world.store.forgetCalls()
        #expect(await updates.next()??.value == ["999"])
        #expect(world.store.calls == [.retrieve("texts")])
    }

    @Test("Many followers share one look at each change, and each is told")
    func many() async throws {
        let world = World()
        let resource = world.resource()
        let subscriptions = (0..<50).map { _ in resource.updates.subscribe() }
        for subscription in subscriptions { #expect(await subscription.next(isolation: nil) == .some(nil)) }
        #expect(world.store.calls == [.retrieve("texts")])
        world.store.forgetCalls()
        let told = subscriptions.map { subscription in Task { await subscription.next(isolation: nil)??.value } }
        let hub = try #require(resource.hub.withLock { $0 })
        #expect(await eventually { hub.state.withLock { $0.subscribers.allSatisfy(\.isWaiting) } })
        try await other(world).save(["a"])
        for task in told { #expect(await task.value == ["a"]) }
        #expect(world.store.calls.filter { $0 == .retrieve("texts") }.count == 1)
    }

    @Test("A change that leaves the copy as it was, and one of another entry, are not told")
    func same() async throws {
        let world = World()
        try await world.save(["a"])
        let entry = try #require(try await world.store.retrieve("texts"))
        let resource = world.resource()
        let subscription = resource.updates.subscribe()
        _ = await subscription.next(isolation: nil)
        let next = Task { await subscription.next(isolation: nil) }
        for key in ["texts", "other"] {
            try await world.store.insert(entry, for: key)
            #expect(await hasLooked(resource))
        }
        let hub = try #require(resource.hub.withLock { $0 })
        #expect(hub.state.withLock { $0.number } == 1)
        try await other(world).save(["b"])
        #expect(await next.value??.value == ["b"])
    }

    @Test("What cannot be read is no state: the last one stays, and the entry is read again after a second")
    func unreadable() async throws {
        let world = World()
        let clock = ManualClock()
        try await world.save(["a"])
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let subscription = resource.updates.subscribe()
        #expect(await subscription.next(isolation: nil)??.value == ["a"])
        world.store.fail(.retrieve, with: .failed(operation: "read", reason: "no descriptor"))
        let next = Task { await subscription.next(isolation: nil) }
        try await other(world).save(["b"])
        #expect(await eventually { clock.sleepers == [.seconds(1)] })
        #expect(subscription.current?.value == ["a"])
        world.store.heal()
        clock.advance(by: .seconds(1))
        #expect(await next.value??.value == ["b"])
    }

    @Test("A damaged copy is nothing to show, and is not read again until it changes")
    func damaged() async throws {
        let world = World()
        let clock = ManualClock()
        world.store.fail(.retrieve, with: .unreadable(key: "texts", reason: "damaged"))
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next() == .some(nil))
        #expect(clock.sleepers.isEmpty)
        world.store.heal()
        try await other(world).save(["b"])
        #expect(await updates.next()??.value == ["b"])
    }

    @Test("A sequence ends with its task, and leaves no observation and no sleeper behind")
    func ends() async throws {
        let world = World()
        let clock = ManualClock()
        let watches = Locked(0)
        let store = ObservedStore(base: world.store, watches: watches)
        let cache = Cache<[String]>(key: "texts", in: store, now: world.date.read)
        try await cache.save(["a"])
        let resource = Resource(remote: world.remote(), cache: cache, clock: clock)
        let count = Locked(0)
        let following = Task {
            for await _ in resource.updates { count.withLock { $0 += 1 } }
        }
        #expect(await eventually { count.withLock { $0 } == 1 })
        await clock.waitForSleepers()
        #expect(watches.withLock { $0 } == 1)
        following.cancel()
        await following.value
        #expect(await eventually { watches.withLock { $0 } == 0 })
        #expect(await eventually { clock.sleepers.isEmpty })
        // It begins anew with the next follower.
        var updates = resource.updates.makeAsyncIterator()
        #expect(await updates.next()??.value == ["a"])
        #expect(watches.withLock { $0 } == 1)
    }

    @Test("A follower that leaves while it was woken to look lets another one look")
    @MainActor
    func passesOn() async throws {
        let world = World()
        // A store that tells nothing: the test says when.
        let cache = Cache<[String]>(key: "texts", in: SilentStore(base: world.store), now: world.date.read)
        let resource = Resource(remote: world.remote(), cache: cache)
        let (first, second) = (resource.updates.subscribe(), resource.updates.subscribe())
        for subscription in [first, second] { _ = await subscription.next(isolation: nil) }
        let leaving = Task { await first.next(isolation: MainActor.shared) }
        let staying = Task { await second.next(isolation: MainActor.shared) }
        let hub = try #require(resource.hub.withLock { $0 })
        #expect(await eventually { hub.state.withLock { $0.subscribers.allSatisfy(\.isWaiting) } })
        try await world.save(["a"])
        // Nothing runs between these two: who was woken leaves before it looks.
        hub.entryMayHaveChanged()
        leaving.cancel()
        #expect(await staying.value??.value == ["a"])
        #expect(await leaving.value == nil)
    }

    @Test(
        "A copy that expires while the store cannot be read is not shown any more, and the store is asked once a second",
        arguments: [StoreError.failed(operation: "read", reason: "EIO"), .unreadable(key: "texts", reason: "damaged")])
    func expiresUnread(error: StoreError) async throws {
        let world = World()
        let clock = ManualClock()
        try await world.save(["old"])
        let resource = Resource(remote: world.remote(), cache: world.cache, clock: clock)
        let updates = resource.updates.withCauses.makeAsyncIterator()
        let told = Locked<[UpdateCause]>([])
        let following = Task {
            var updates = updates
            while let update = await updates.next() { told.withLock { $0.append(update.cause) } }
        }
        // A follower that has not come to the first state is told the second one alone.
        #expect(await eventually { told.withLock { $0 } == [.found] })
        await clock.waitForSleepers()
        world.store.fail(.retrieve, with: error)
        world.store.forgetCalls()
        world.date.advance(by: Duration.days(8).timeInterval)
        clock.advance(by: .days(8))
        #expect(await eventually { told.withLock { $0 } == [.found, .expired] })
        #expect(world.store.calls == [.retrieve("texts")])
        if case .failed = error {
            for second in 2...3 {
                await clock.waitForSleepers()
                #expect(clock.sleepers == [.seconds(1)])
                world.date.advance(by: 1)
                clock.advance(by: .seconds(1))
                #expect(await eventually { world.store.calls.count == second })
            }
        } else {
            #expect(clock.sleepers.isEmpty, "damage stays until somebody changes the entry")
        }
        world.store.heal()
        try await world.save(["new"])
        #expect(await eventually { told.withLock { $0 } == [.found, .expired, .changed] })
        following.cancel()
        await following.value
    }

    @Test("A follower whose actor is busy delays no other one")
    func busyActor() async throws {
        let world = World()
        try await world.save(["a"])
        let resource = world.resource()
        let told = Locked<[[String]?]>([nil, nil])
        let busy = BusyActor()
        // The busy one comes first.
        let first = Task { await busy.follow(resource.updates) { text in told.withLock { $0[0] = text } } }
        #expect(await eventually { told.withLock { $0[0] } == ["a"] })
        let second = Task { for await state in resource.updates { told.withLock { $0[1] = state?.value } } }
        let hub = try #require(resource.hub.withLock { $0 })
        #expect(
            await eventually {
                hub.state.withLock { $0.subscribers.count == 2 && $0.subscribers.allSatisfy(\.isWaiting) }
            })
        busy.queue.suspend()
        try await other(world).save(["b"])
        #expect(await eventually { told.withLock { $0 } == [["a"], ["b"]] })
        busy.queue.resume()
        #expect(await eventually { told.withLock { $0 } == [["b"], ["b"]] })
        for task in [first, second] {
            task.cancel()
            await task.value
        }
    }

    @Test("Readers and writers in a crowd: each follower ends with the last state")
    func crowd() async throws {
        let world = World()
        let resource = world.resource()
        let followers = (0..<8).map { _ in
            Task {
                for await case let loaded? in resource.updates where loaded.value == ["end"] { return true }
                return false
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<100 { _ = try? await world.cache.save(["\(writer) \(number)"]) }
                }
            }
        }
        try await other(world).save(["end"])
        for follower in followers { #expect(await follower.value) }
    }
}

extension UpdateHub.Subscriber {
    /// Read it under the hub's lock.
    fileprivate var isWaiting: Bool { waiting != nil }
}

/// An actor that does nothing while its queue is suspended.
private actor BusyActor {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "busy")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var queue: DispatchQueue { executor.queue }

    func follow(_ updates: ResourceUpdates<[String]>, _ onState: ([String]?) -> Void) async {
        for await state in updates { onState(state?.value) }
    }
}
