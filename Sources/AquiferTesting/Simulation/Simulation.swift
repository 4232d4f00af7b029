import Aquifer
import Foundation

/// A small world in one thread, in which everything that tests cannot wait for is drawn from a seed: the order of all
/// tasks, time, chance, the network, the disk, the deaths of processes.
///
/// The executors of Swift concurrency belong to the whole process. A simulation is therefore a program of its own:
///
/// ```swift
/// @main
/// struct Notes {
///     static func main() {
///         Simulation.main { world in
///             world.network.serve("notes.example") { request in .init(status: 201) }
///             let phone = world.process("phone") { phone in
///                 …                               // the code to test, over phone.client, phone.now, world.clock
///             }
///             await phone.waitUntilEnded()
///             world.expect(…, "the note has arrived")
///         }
///     }
/// }
/// ```
///
/// `notes --count 10000` runs ten thousand seeds. A failure prints the seed, the last steps of the schedule and the history, and
/// ends the program with 1. The same seed replays it to the byte.
///
/// - Inject ``clock``, ``SimulatedProcess/now`` and ``random`` where the code takes a clock, the date and chance.
/// - Nothing may leave the simulation: no thread, no dispatch queue, no connection of the system. `Task.sleep` counts from the
///   real time of its call: use ``clock``.
/// - A simulation that cannot go on fails: when nobody is ready and nobody sleeps, and at the bounds of ``limits``.
public final class Simulation: Sendable {
    /// The bounds of one simulation.
    public struct Limits: Sendable {
        /// The most steps of the scheduler.
        public var steps: Int
        /// The longest simulated time.
        public var time: Duration

        /// Bounds; by default, a million steps and thirty days.
        public init(steps: Int = 1_000_000, time: Duration = .seconds(30 * 24 * 3600)) {
            self.steps = steps
            self.time = time
        }
    }

    /// True if this system lets a program replace the executors of Swift concurrency: Linux with Swift 6.3 or later.
    public static var isSupported: Bool { Executors.areReplaceable }

    /// The number from which everything follows.
    public let seed: UInt64
    /// Chance for the world itself.
    public let random: SimulatedRandom
    /// The faults that may strike.
    public let faults: Faults
    /// The network between the processes and the servers.
    public let network: SimulatedNetwork
    /// The disk that all processes share.
    public let disk: SimulatedDisk
    /// What the command line has set with `--set`: switches of the world.
    public let switches: Set<String>
    private let beginning = Date(timeIntervalSinceReferenceDate: 800_000_000)

    init(seed: UInt64, switches: Set<String>, without: Set<SimulatedFault>) {
        self.seed = seed
        self.switches = switches
        random = SimulatedRandom(seed: seed, 1)
        faults = Faults(SimulatedRandom(seed: seed, 2), without: without)
        disk = SimulatedDisk(SimulatedRandom(seed: seed, 4), faults)
        Scheduler.shared.disk = disk
        network = SimulatedNetwork(SimulatedRandom(seed: seed, 3), faults)
    }

    /// The clock for everything that waits.
    public var clock: SimulatedClock { SimulatedClock() }

    /// The true date. A process may have a wrong one: see ``SimulatedProcess/now``.
    public var date: Date { beginning + clock.now.offset.timeInterval }

    /// The bounds of this simulation. Set them at the beginning.
    public var limits: Limits {
        get { Scheduler.shared.limits }
        set { Scheduler.shared.limits = newValue }
    }

    /// Starts a process. See ``SimulatedProcess``.
    ///
    /// - Parameters:
    ///   - name: its name in history and schedule.
    ///   - body: what it does. It ends with its body. It is run anew when the process is started again, and must make all
    ///     of its objects itself.
    @discardableResult
    public func process(
        _ name: String, _ body: @escaping @Sendable (SimulatedProcess) async throws -> Void
    ) -> SimulatedProcess {
        let process = SimulatedProcess(name, self, SimulatedRandom(seed: seed, Checksum.xxh64(name)), body)
        process.start()
        return process
    }

    /// False in what is left of a job whose process was killed in its middle. What the world keeps of its processes must
    /// not be changed then.
    public var callerIsAlive: Bool { Scheduler.shared.current.isAlive && !Scheduler.shared.isOver }

    /// Writes a line into the history. A dead process writes nothing.
    public func note(_ text: String) {
        let scheduler = Scheduler.shared
        guard callerIsAlive else { return }
        scheduler.trace.note(text, at: scheduler.now, by: scheduler.current)
    }

    /// Ends the simulation as failed if a condition does not hold. A dead process says nothing.
    public func expect(_ condition: Bool, _ claim: @autoclosure () -> String) {
        if !condition, callerIsAlive { Scheduler.shared.fail(claim()) }
    }
}
