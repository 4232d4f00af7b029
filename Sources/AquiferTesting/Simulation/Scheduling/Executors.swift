#if os(Linux) && compiler(>=6.3)
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// Takes the place of the thread pool: all jobs of the process go to the ``Scheduler``.
    private final class Pool: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
        static let shared = Pool()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Scheduler.shared.enqueue { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        // `Task.sleep`, which code without an injected clock calls: it sleeps in simulated time, too. The runtime has
        // subtracted the real time since the call, so the delay is rounded up: each run of a seed must be the same.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
        ) {
            let job = UnownedJob(job)
            Scheduler.shared.ring(after: (delay as? Duration)?.roundedUp ?? .zero) {
                Scheduler.shared.enqueue { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }

        var asSchedulingExecutor: (any SchedulingExecutor)? { self }
    }

    extension Duration {
        /// The next longer duration with two digits, in milliseconds at the finest.
        fileprivate var roundedUp: Duration {
            var grain: Int64 = 1_000_000
            while nanoseconds > 100 * grain { grain *= 10 }
            return .nanoseconds((max(0, nanoseconds) + grain - 1) / grain * grain)
        }
    }

    /// Takes the place of the main thread: the main actor's jobs run in order, as there.
    private final class Main: MainExecutor, @unchecked Sendable {
        static let shared = Main()
        private let turns = SerialTurns()

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            Scheduler.shared.enqueue(in: turns) { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        }

        func checkIsolated() {}
        func run() throws {}
        func stop() {}
    }

    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { Main.shared }
        static var defaultExecutor: any TaskExecutor { Pool.shared }
    }

    /// The executors of the process, which Swift makes replaceable from 6.3 on.
    enum Executors {
        static let areReplaceable = true

        /// Call it before the first task of the process.
        static func replace() { _createExecutors(factory: Factory.self) }
    }
#else
    /// The executors of the process. Xcode does not show the interface that replaces them, which Apple's systems have
    /// from 26.4 on.
    enum Executors {
        static let areReplaceable = false

        static func replace() {}
    }
#endif
