import Foundation

/// A value behind a lock.
///
/// It uses `NSLock`, not `Synchronization.Mutex`: the thread sanitizer reports false races on the latter on Linux
/// (Swift 6.3.1).
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` under the lock. Keep it short, and call no unknown code from it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
