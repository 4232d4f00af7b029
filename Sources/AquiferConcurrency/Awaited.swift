/// The place of a value that is given once, and for which one task waits.
///
/// It costs one allocation, and no lock of its own: a store has one for each call.
package final class Awaited<Value: Sendable>: @unchecked Sendable {
    // The lock guards both. The thread sanitizer does not see that a continuation orders two threads. It sees that a lock does.
    private var value: Value?
    private var caller: UnsafeContinuation<Void, Never>?

    package init() {}

    private var lock: Lock { locks[Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 6 & (lockCount - 1)] }

    /// Gives the value; does nothing if it was given before.
    package func give(_ value: Value) {
        let caller = lock.withLock { () -> UnsafeContinuation<Void, Never>? in
            if self.value != nil { return nil }
            self.value = value
            return self.caller
        }
        caller?.resume()
    }

    /// The value, when it is there. For one task.
    package func get() async -> Value {
        while true {
            if let value = lock.withLock({ value }) { return value }
            await withUnsafeContinuation { caller in
                let isGiven = lock.withLock {
                    self.caller = caller
                    return value != nil
                }
                if isGiven { caller.resume() }
            }
        }
    }
}

/// Locks that all share: two of many values that happen to have the same one wait for each other for a moment.
private let locks = (0..<lockCount).map { _ in Lock() }
private let lockCount = 64
