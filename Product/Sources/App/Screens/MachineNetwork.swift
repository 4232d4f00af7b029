import Aquifer
import Observation

/// This machine's network, as the operating system tells it: pages say whether there is one.
@MainActor @Observable
final class MachineNetwork {
    private(set) var state = ConnectionState.unknown

    /// Follows a monitor until its stream ends, or the task is cancelled.
    func follow(_ monitor: any ConnectionMonitor) async {
        for await state in monitor.updates { self.state = state }
    }
}
