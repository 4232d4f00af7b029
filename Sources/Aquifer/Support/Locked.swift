import Foundation

/// A value behind a lock.
///
/// `NSLock`, not `Synchronization.Mutex`: the thread sanitizer reports false races on the latter on Linux
/// (Swift 6.3.1), and a sanitizer that cries wolf is soon switched off.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` while no other thread is in one. Keep it short, and never call out of it.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
