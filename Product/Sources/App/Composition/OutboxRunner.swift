import Aquifer
import Observation

/// Sends the items of the outbox for as long as the server runs, unless it is paused. A connection that comes back sends those
/// that wait for one.
@MainActor @Observable
final class OutboxRunner {
    /// True while nothing is sent, until ``resume()``.
    private(set) var isPaused = false
    @ObservationIgnored private let outbox: Outbox
    @ObservationIgnored private var task: Task<Void, Never>?
    @ObservationIgnored private var isStarted = false

    init(_ outbox: Outbox) {
        self.outbox = outbox
    }

    /// Starts sending.
    func start() {
        if !isStarted { outbox.follow(SystemConnectionMonitor()) }
        isStarted = true
        guard task == nil, !isPaused else { return }
        task = Task { [outbox] in await outbox.run() }
    }

    /// Stops sending. An item that is being sent is cancelled, and stays in the queue.
    func pause() {
        isPaused = true
        task?.cancel()
        task = nil
    }

    /// Sends again.
    func resume() {
        isPaused = false
        if isStarted { start() }
    }

    /// Begins no further item. Returns when the items under way have been sent, or after `limit`; what is still under way then goes
    /// on until ``stop()``.
    func finish(within limit: Duration) async {
        isStarted = false
        guard let task else { return }
        await outbox.finish()
        _ = await firstWithin(limit) { await task.value }
    }

    /// Ends for good, and returns when nothing is being sent any more. An item that is being sent is cancelled, and stays in the queue.
    func stop() async {
        isStarted = false
        task?.cancel()
        await task?.value
        task = nil
    }
}
