import AquiferFoundation
import Dispatch

/// A call after a time.
enum Alarm {
    /// Calls `body` once after a time by the clock, unless the alarm is cancelled or released first.
    ///
    /// Swift keeps a cancelled sleep, and the task in it, until its time has come: 800 bytes for days. A timer of Dispatch
    /// is gone at once. It waits by the calendar's clock, which goes on while the machine sleeps.
    static func after(
        _ time: Duration, on clock: any Clock<Duration>, _ body: @escaping @Sendable () -> Void
    ) -> StoreObservation {
        guard clock is ContinuousClock, Conducting.conductor == nil else {
            let task = Task {
                do { try await clock.pause(for: time) } catch { return }
                body()
            }
            return StoreObservation { task.cancel() }
        }
        // The timer may be cancelled from any thread, as its documentation says.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler(handler: body)
        timer.schedule(wallDeadline: .now() + time.timeInterval)
        timer.resume()
        return StoreObservation { timer.cancel() }
    }
}
