/// A wait of one task of a process, which ends once: with a value, or by the cancelling of the task.
///
/// The task goes on as its own process, regardless of who ends the wait; and not at all if that is dead.
final class SimulatedWait<Value: Sendable>: @unchecked Sendable {
    private let life: Life
    private let what: String
    private var continuation: UnsafeContinuation<Value?, Never>?
    private var end: Value??
    private var number = 0
    private var isOver = false
    private var afterwards: (() -> Void)?

    init(_ what: String) {
        life = Scheduler.shared.current
        self.what = what
    }

    /// The value; `nil` when the task was cancelled.
    func value() async -> Value? {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if isOver { return continuation.resume(returning: end ?? nil) }
                self.continuation = continuation
                number = life.waits(for: what)
            }
        } onCancel: {
            finish(nil)
        }
    }

    /// Done once, when the wait is over.
    func afterwards(_ action: @escaping () -> Void) { if isOver { action() } else { afterwards = action } }

    /// Ends the wait; does nothing if it has ended.
    func finish(_ value: Value?) {
        if isOver { return }
        isOver = true
        end = .some(value)
        afterwards?()
        afterwards = nil
        guard let continuation else { return }
        self.continuation = nil
        life.hasStoppedWaiting(number)
        Scheduler.shared.asLife(life) { continuation.resume(returning: value) }
    }
}
