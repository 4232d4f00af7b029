import AquiferConcurrency

/// Threads that may wait for a disk.
///
/// A handler begins on the network's thread, which takes all requests and sends all answers, and goes on on those of tasks,
/// which are as many as the processor has cores. While a disk stands still, a handler that reads or writes a file there would
/// hold up everybody else. Work with files therefore runs here.
///
/// `await Task.yield()` is no way to leave the network's thread: the task may be resumed before it has suspended.
public enum FileThreads {
    /// Runs `work` on one of these threads, and also what `work` calls that is bound to no other executor, such as an actor's methods.
    public static func run<Result, Failure: Error>(
        _ work: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(Pool.shared, operation: work)
    }

    /// As many threads as there is work for, up to a limit. A thread ends when nothing waits.
    private final class Pool: TaskExecutor {
        static let shared = Pool()

        private static let limit = 16

        private struct State {
            /// The jobs that no thread has taken, the oldest first.
            var waiting: [UnownedJob] = []
            var threads = 0
        }

        private let state = Locked(State())

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let needsThread = state.withLock { state in
                state.waiting.append(job)
                guard state.threads < Self.limit else { return false }
                state.threads += 1
                return true
            }
            if needsThread { start() }
        }

        private func start() {
            do throws(SystemThread.Unavailable) {
                try SystemThread.start(named: "files") { self.work() }
            } catch {
                // The other threads take the job. If there is none, this one waits.
                let isLast = state.withLock { state in
                    if state.threads > 1 { state.threads -= 1 } else { return true }
                    return false
                }
                if isLast { work() }
            }
        }

        private func work() {
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }

        /// The next job; `nil` if there is none, and this thread ends.
        private func next() -> UnownedJob? {
            state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.threads -= 1
                return nil
            }
        }
    }
}
