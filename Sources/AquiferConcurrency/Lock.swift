#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock of the operating system: an unfair lock on Apple's systems, a POSIX mutex elsewhere.
///
/// It takes the place of two others. `NSLock` needs full Foundation, which is large on Linux. The thread sanitizer
/// reports false races on `Synchronization.Mutex` (Linux, Swift 6.3.1). The system identifies a lock by its address, so
/// the lock has memory of its own that never moves.
///
/// Keep what runs under it short, and call no unknown code from there. It is not recursive. Prefer ``Locked``, which
/// holds the guarded value, too.
package final class Lock: @unchecked Sendable {
    #if canImport(Darwin)
        private let system = UnsafeMutablePointer<os_unfair_lock_s>.allocate(capacity: 1)
    #else
        private let system = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    #endif

    /// A free lock.
    package init() {
        #if canImport(Darwin)
            system.initialize(to: os_unfair_lock_s())
        #else
            system.initialize(to: pthread_mutex_t())
            let code = pthread_mutex_init(system, nil)
            precondition(code == 0, "The system refused a mutex: \(code)")
        #endif
    }

    deinit {
        #if !canImport(Darwin)
            _ = pthread_mutex_destroy(system)
        #endif
        system.deinitialize(count: 1)
        system.deallocate()
    }

    /// Takes the lock. Waits while another thread has it.
    @available(*, noasync, message: "A task may continue on another thread; use withLock")
    package func lock() {
        #if canImport(Darwin)
            os_unfair_lock_lock(system)
        #else
            let code = pthread_mutex_lock(system)
            precondition(code == 0, "The mutex could not be taken: \(code)")
        #endif
    }

    /// Gives the lock back. Only the thread that has it may do so.
    @available(*, noasync, message: "A task may continue on another thread; use withLock")
    package func unlock() {
        #if canImport(Darwin)
            os_unfair_lock_unlock(system)
        #else
            let code = pthread_mutex_unlock(system)
            precondition(code == 0, "The mutex could not be given back: \(code)")
        #endif
    }

    /// Runs `body` under the lock.
    package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock()
        defer { unlock() }
        return try body()
    }
}

/// A value behind a ``Lock``.
package final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let lock = Lock()
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    /// Runs `body` under the lock. Keep it short, and call no unknown code from it.
    ///
    /// Other modules compile it anew for the types of their values.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
