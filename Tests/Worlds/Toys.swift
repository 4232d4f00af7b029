import Aquifer
import AquiferTesting
import Foundation

/// Worlds that show the simulation itself: its tests run them.
enum Toys {
    static let all: [String: Simulation.World] = [
        "toy-tasks": tasks, "toy-deadlock": deadlock, "toy-endless": endless, "toy-eternity": eternity,
        "toy-locks": locks, "toy-kill": kill, "toy-stop": stop,
    ]

    private actor Counter {
        private(set) var order: [Int] = []
        func add(_ number: Int) { order.append(number) }
    }

    /// Twelve tasks in an order of the seed's.
    @Sendable private static func tasks(_ world: Simulation) async throws {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    await Task.yield()
                    await counter.add(number)
                    // Without an injected clock, too, a sleep takes no time.
                    if number % 4 == 0 { try? await Task.sleep(for: .seconds(1000)) }
                }
            }
        }
        world.note("order \(await counter.order)")
        await MainActor.run { world.note("the main actor runs, too") }
    }

    /// A process waits for what never comes.
    @Sendable private static func deadlock(_ world: Simulation) async throws {
        let waiting = world.process("waiting") { process in
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
        await waiting.waitUntilEnded()
    }

    @Sendable private static func endless(_ world: Simulation) async throws {
        world.limits.steps = 1000
        while true { await Task.yield() }
    }

    @Sendable private static func eternity(_ world: Simulation) async throws {
        world.limits.time = .seconds(3600)
        while true { try await world.clock.sleep(for: .seconds(60)) }
    }

    /// One process has the lock for a second of its time; the other waits in the middle of a job, and then has it.
    @Sendable private static func locks(_ world: Simulation) async throws {
        world.disk.write(Data(), to: "/disk/lock")
        let holder = world.process("holder") { process in
            let file = try POSIX.openToWrite("/disk/lock", truncate: false)
            world.expect(try POSIX.tryLock(file), "the first has no lock")
            try await world.clock.sleep(for: .seconds(1))
            withExtendedLifetime(file) {}
        }
        let waiter = world.process("waiter") { process in
            try await world.clock.sleep(for: .milliseconds(10))
            let file = try POSIX.openToWrite("/disk/lock", truncate: false)
            let queue = SerialQueue("toy")
            let before = world.clock.now
            let isOurs = try await queue.run { () throws(StoreError) in
                try Waiting.until(.seconds(5)) { () throws(StoreError) in try POSIX.tryLock(file) }
            }
            let waited = before.duration(to: world.clock.now)
            world.expect(isOurs && waited > .milliseconds(900) && waited < .seconds(2), "waited \(waited)")
            world.note("has the lock")
        }
        await holder.waitUntilEnded()
        await waiter.waitUntilEnded()
    }

    /// A stopped process keeps its lock and does nothing, and goes on where it was.
    @Sendable private static func stop(_ world: Simulation) async throws {
        world.disk.write(Data(), to: "/disk/lock")
        let counter = Counter()
        let victim = world.process("victim") { process in
            let file = try POSIX.openToWrite("/disk/lock", truncate: false)
            world.expect(try POSIX.tryLock(file), "it has no lock")
            for number in 1...100 {
                await counter.add(number)
                try await world.clock.sleep(for: .milliseconds(20))
            }
            withExtendedLifetime(file) {}
        }
        try await world.clock.sleep(for: .seconds(1))
        victim.stop()
        let before = await counter.order.count
        try await world.clock.sleep(for: .seconds(60))
        world.expect(victim.isStopped && victim.isRunning, "it was not stopped")
        let after = await counter.order.count
        world.expect(after == before, "the stopped goes on")
        let file = try POSIX.openToWrite("/disk/lock", truncate: false)
        world.expect(try !POSIX.tryLock(file), "the stopped has lost its lock")
        victim.resume()
        await victim.waitUntilEnded()
        let order = await counter.order
        world.expect(order == Array(1...100), "it has not gone on where it was")
        world.expect(try POSIX.tryLock(file), "the lock of the ended is still there")
        victim.stop()
        world.expect(!victim.isStopped, "the ended was stopped")
    }

    /// A killed process gives its lock back, does nothing more, and begins anew.
    @Sendable private static func kill(_ world: Simulation) async throws {
        world.disk.write(Data(), to: "/disk/lock")
        let victim = world.process("victim") { process in
            let file = try POSIX.openToWrite("/disk/lock", truncate: false)
            world.expect(try POSIX.tryLock(file), "the lock of the dead is still there")
            world.note("start \(process.starts)")
            while process.starts == 1 { try await world.clock.sleep(for: .milliseconds(1)) }
        }
        try await world.clock.sleep(for: .seconds(1))
        victim.kill()
        world.expect(!victim.isRunning, "the dead runs")
        try await world.clock.sleep(for: .seconds(1))
        victim.start()
        await victim.waitUntilEnded()
        world.expect(victim.starts == 2, "it was not started twice")
    }
}
