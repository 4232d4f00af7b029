import AquiferConcurrency
import Foundation

/// A thread of the simulation. Only one of them runs at any moment: it has the baton, and passes it on when its job has
/// to wait in the middle. A simulation needs a second one only then.
final class Worker: @unchecked Sendable {
    private let turn = DispatchSemaphore(value: 0)
    private var thread = pthread_self()

    /// The running thread.
    init() {}

    /// A new thread, which runs `body` when it is woken for the first time.
    init(_ body: @escaping @Sendable (Worker) -> Void) {
        do throws(SystemThread.Unavailable) {
            try SystemThread.start(named: "simulation") { [self] in
                thread = pthread_self()
                wait()
                body(self)
            }
        } catch {
            // The job that waits in the middle could never go on.
            fatalError("A simulation needs another thread, and the system gives none: \(error).")
        }
    }

    var isRunning: Bool { pthread_equal(pthread_self(), thread) != 0 }
    func wake() { turn.signal() }
    func wait() { turn.wait() }
}
