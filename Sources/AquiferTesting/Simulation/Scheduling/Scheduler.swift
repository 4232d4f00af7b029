import Aquifer
import Foundation

/// Runs all jobs of the process one at a time, in an order drawn from a seed.
///
/// There is one, because the executors belong to the whole process; it carries out one simulation after another. What is
/// in it is touched only by the thread that has the baton (see ``Worker``).
final class Scheduler: @unchecked Sendable {
    static let shared = Scheduler()

    /// The jobs that can run.
    struct Entry {
        enum Work {
            case job(() -> Void)
            /// A job that waits in the middle, on a thread of its own.
            case parked(Worker)
        }

        var life: Life
        var work: Work
        var turns: SerialTurns?
    }

    /// Has what belongs to no process.
    private(set) var world = Life("world")
    /// The process whose job runs now.
    var current: Life
    var now: Int64 = 0
    var steps = 0
    private(set) var failure: String?
    private(set) var isOver = true
    var trace = Trace(isKept: false)
    var limits = Simulation.Limits()
    /// Asked before each step: whether to kill a process, or to let time pass.
    var faults: Faults?
    /// The disk of the simulation.
    var disk: SimulatedDisk?
    private(set) var lives: [Life] = []

    var ready: [Entry] = []
    var alarms = Alarms()
    private var alarmsMade = 0
    var numbers = SeededNumbers(seed: 0)
    /// The number of jobs that wait in the middle, each on a thread of its own.
    var parked = 0
    /// Those who wait in the middle of a job, for a time.
    var asleep: [(life: Life, worker: Worker)] = []
    let first = Worker()
    /// The thread that has the baton.
    var holder: Worker
    var spare: [Worker] = []

    private init() {
        current = world
        holder = first
    }

    // MARK: A run

    /// Runs `body` and all that it starts; returns once it has ended or failed.
    func run(seed: UInt64, isTraced: Bool, _ body: @escaping @Sendable () async throws -> Void) {
        world = Life("world")
        (current, now, steps, failure, isOver) = (world, 0, 0, nil, false)
        lives = [world]
        trace = Trace(isKept: isTraced)
        numbers = SeededNumbers(seed: seed)
        alarmsMade = 0
        Task.detached { [self] in
            do { try await body() } catch { fail("the world ended with an error: \(error)") }
            finish()
        }
        conduct(first)
        ready = []
        alarms = Alarms()
        faults = nil
    }

    /// Ends the run: what is left over does not run any more.
    func finish() {
        guard !isOver else { return }
        isOver = true
        for life in lives {
            resume(life)
            life.end()
        }
        lives = []
        let left = ready
        ready.removeAll { if case .job = $0.work { true } else { false } }
        for entry in left { entry.turns?.clear() }
        // Jobs that wait in the middle go on now, and find that they are dead: their threads are needed again.
        alarms.all.forEach { $0.takeBack() }
        ready += asleep.map { Entry(life: $0.life, work: .parked($0.worker)) }
        asleep = []
    }

    /// Ends the run as failed. The first failure counts.
    func fail(_ text: String) {
        guard failure == nil, !isOver else { return }
        failure = text
        trace.note("FAILED: \(text)", at: now, by: current)
        finish()
    }

    /// The living processes, and what each waits for.
    var standing: String {
        "who waits: " + lives.map { "\($0.name) (\($0.standing))" }.joined(separator: ", ")
    }

    // MARK: Jobs

    func begin(_ life: Life) { lives.append(life) }

    func enqueue(in turns: SerialTurns? = nil, _ job: @escaping () -> Void) {
        guard holder.isRunning else {
            fatalError("A simulation has one thread at a time, and a job came from another one.")
        }
        guard current.isAlive, !isOver else { return }
        let entry = Entry(life: current, work: .job(job), turns: turns)
        if let turns, turns.isBusy { return turns.append(entry) }
        turns?.isBusy = true
        makeReady(entry)
    }

    /// Lets a job run from now on, or when its process goes on.
    func makeReady(_ entry: Entry) {
        if entry.life.isStopped { entry.life.heldJobs.append(entry) } else { ready.append(entry) }
    }

    /// Runs `body` as `life`: what it enqueues belongs to that.
    func asLife(_ life: Life, _ body: () -> Void) {
        let before = current
        current = life
        body()
        current = before
    }

    /// Drops all jobs of a life for good.
    func end(_ life: Life) {
        resume(life)
        life.end()
        lives.removeAll { $0 === life }
        let dropped = ready.filter { $0.life === life && $0.isJob }
        ready.removeAll { $0.life === life && $0.isJob }
        for entry in dropped { advance(entry.turns) }
        // Those that wait in the middle go on and find that they are dead.
        let woken = asleep.filter { $0.life === life }
        asleep.removeAll { $0.life === life }
        ready += woken.map { Entry(life: $0.life, work: .parked($0.worker)) }
    }

    func advance(_ turns: SerialTurns?) {
        guard let turns else { return }
        if let next = turns.take() { makeReady(next) } else { turns.isBusy = false }
    }

    /// Holds back all jobs and alarms of a life.
    func stop(_ life: Life) {
        guard life.isAlive, life !== world else { return }
        life.isStopped = true
        life.heldJobs += ready.filter { $0.life === life }
        ready.removeAll { $0.life === life }
    }

    /// Lets a stopped life go on. What was due meanwhile is late.
    func resume(_ life: Life) {
        guard life.isStopped else { return }
        life.isStopped = false
        ready += life.heldJobs
        for alarm in life.heldAlarms where alarm.isSet { alarms.add(alarm) }
        (life.heldJobs, life.heldAlarms) = ([], [])
    }

    // MARK: Time

    /// Does something later, as the current process, unless that is dead by then.
    @discardableResult
    func ring(after delay: Duration, as life: Life? = nil, _ action: @escaping () -> Void) -> Alarm {
        alarmsMade += 1
        let alarm = Alarm(
            due: now + max(0, delay.nanoseconds), order: alarmsMade, life: life ?? current, action: action)
        if !isOver { alarms.add(alarm) }
        return alarm
    }

    func pass(_ nanoseconds: Int64) { now += nanoseconds }
}

extension Scheduler.Entry {
    var isJob: Bool { if case .job = work { true } else { false } }

    var kind: String {
        switch work {
        case .job: turns == nil ? "a job" : "a job of a queue"
        case .parked: "a job that waited in the middle"
        }
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1_000_000_000).overflow
            ? .max / 2 : seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
