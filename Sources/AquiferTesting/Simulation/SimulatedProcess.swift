import Aquifer
import Foundation

/// A process of a ``Simulation``: what its body and the tasks of that do, until it ends or is killed.
///
/// A kill drops all its jobs and timers for good, closes its files and connections, and releases its locks. It may strike
/// between any two steps, and at any call of disk or network. A call of a dead process has no effect, and throws. It can
/// then be started again, with fresh objects over the same disk.
public final class SimulatedProcess: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// Its name in history and schedule.
    public let name: String
    /// Chance for this process.
    public let random: SimulatedRandom
    /// The world that it is in.
    public unowned let world: Simulation
    /// The seconds by which its date is ahead of the true one. The fault ``SimulatedFault/clockSkew`` changes it.
    public var skew: TimeInterval = 0
    /// True if the faults of ``Faults`` may kill it.
    public var isMortal = false
    private let body: @Sendable (SimulatedProcess) async throws -> Void
    private var life: Life?
    private var waiting: [SimulatedWait<Void>] = []

    init(
        _ name: String, _ world: Simulation, _ random: SimulatedRandom,
        _ body: @escaping @Sendable (SimulatedProcess) async throws -> Void
    ) {
        (self.name, self.world, self.random, self.body) = (name, world, random, body)
        world.faults.add(self)
    }

    /// True from its start until it has ended or was killed.
    public var isRunning: Bool { life?.isAlive ?? false }
    /// True while one of its jobs runs.
    var isCurrent: Bool { life != nil && life === Scheduler.shared.current }
    /// The number of its starts.
    public private(set) var starts = 0

    /// The date as this process knows it: inject it as `now`.
    public var now: @Sendable () -> Date {
        { [self] in world.date + skew }
    }

    /// The client of this process, over the simulated network.
    public var client: any HTTPClient { world.network.client(of: self) }

    /// Runs the body, in the manner of a program that is started. Does nothing while it runs.
    public func start() {
        guard !isRunning, !Scheduler.shared.isOver else { return }
        starts += 1
        hasEnded = false
        world.faults.beforeStart(self)
        let life = Life(starts == 1 ? name : "\(name)#\(starts)")
        self.life = life
        Scheduler.shared.begin(life)
        Scheduler.shared.asLife(life) {
            Task.detached { [self] in
                do { try await body(self) } catch {
                    if life.isAlive { Scheduler.shared.fail("\(life.name) ended with an error: \(error)") }
                }
                end(life)
            }
        }
    }

    /// Ends it at once, wherever it is.
    public func kill() {
        guard let life, life.isAlive else { return }
        Scheduler.shared.trace.note("is killed", at: Scheduler.shared.now, by: life)
        world.disk.tear(life)
        end(life, isKilled: true)
    }

    /// True while it is stopped.
    public var isStopped: Bool { life?.isStopped ?? false }

    /// Stops it, wherever it is: it does nothing until ``resume()``. Its files stay open, and its locks stay held.
    public func stop() {
        guard let life, life.isAlive, !life.isStopped else { return }
        Scheduler.shared.trace.note("is stopped", at: Scheduler.shared.now, by: life)
        Scheduler.shared.stop(life)
    }

    /// Lets it go on. What was due meanwhile happens now.
    public func resume() {
        guard let life, life.isStopped else { return }
        Scheduler.shared.trace.note("goes on", at: Scheduler.shared.now, by: life)
        Scheduler.shared.resume(life)
    }

    /// Returns once its body has ended by itself.
    public func waitUntilEnded() async {
        if hasEnded { return }
        let wait = SimulatedWait<Void>("waits for the end of \(name)")
        waiting.append(wait)
        await wait.value()
    }

    /// True once its body has ended by itself.
    public private(set) var hasEnded = false

    private func end(_ life: Life, isKilled: Bool = false) {
        guard life.isAlive else { return }
        Scheduler.shared.end(life)
        if isKilled { return }
        hasEnded = true
        let waiting = waiting
        self.waiting = []
        for wait in waiting { wait.finish(()) }
    }
}
