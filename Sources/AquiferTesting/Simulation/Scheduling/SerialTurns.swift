import Aquifer

/// Jobs that run one after another, in the order in which they came: those of the main actor, and of a `SerialQueue`.
final class SerialTurns: @unchecked Sendable {
    /// True while one of the jobs is ready, or runs.
    var isBusy = false
    private var waiting: [Scheduler.Entry] = []
    private var next = 0

    func append(_ entry: Scheduler.Entry) { waiting.append(entry) }

    /// The next job of a process that lives; the jobs of the dead are dropped.
    func take() -> Scheduler.Entry? {
        while next < waiting.count {
            let entry = waiting[next]
            next += 1
            if entry.life.isAlive { return entry }
        }
        clear()
        return nil
    }

    func clear() {
        isBusy = false
        waiting.removeAll()
        next = 0
    }
}

/// The executor of a `SerialQueue` in a simulation.
final class SimulatedQueue: SerialExecutor, @unchecked Sendable {
    private let turns = SerialTurns()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Scheduler.shared.enqueue(in: turns) { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    func checkIsolated() {}
}
