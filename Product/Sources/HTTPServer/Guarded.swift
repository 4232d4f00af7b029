import Foundation

/// A value behind a lock (`NSLock`: the thread sanitizer understands it, which it does not `Mutex` on Linux).
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` while no other thread is in one. Keep it short, and never call out of it.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
