import Dispatch

/// Runs blocking work in order on its own dispatch queue. Waiting for a disk or for another process thus takes no
/// thread from the cooperative pool.
package actor SerialQueue {
    private nonisolated let executor: QueueExecutor

    package init(_ label: String) {
        executor = QueueExecutor(label)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package func run<Value: Sendable, Failure: Error>(
        _ body: @Sendable () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try body()
    }
}

private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
