import Foundation

/// The preparations of a program that serves, made once before it listens.
public enum ServerProcess {
    /// Raises the limit on open files (``DescriptorLimit/raise()``), and has the system's timers made.
    ///
    /// libdispatch, which waits for every `Task.sleep`, makes a descriptor for each kind of clock when that is first waited
    /// for, keeps it, and ends the process where it cannot have one. After this call they are there, however many connections
    /// come later.
    public static func prepare() async {
        DescriptorLimit.raise()
        // These tasks are never cancelled. A cancellation would not remove the timers.
        try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
        try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(wallDeadline: .now() + 0.000_001) { continuation.resume() }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.000_001) { continuation.resume() }
        }
    }
}
