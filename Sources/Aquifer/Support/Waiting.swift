/// Waits for something another process holds, which tells no one when it lets go.
package enum Waiting {
    /// Tries until `attempt` is true, at growing intervals up to 2 ms; false when `patience` is over.
    /// Blocks this thread: only for queues of our own, and for opening a store.
    package static func until(
        _ patience: Duration, _ attempt: () throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        var pause: UInt32 = 50
        while try !attempt() {
            if clock.now - start >= patience { return false }
            POSIX.pause(microseconds: pause)
            pause = min(pause * 2, 2000)
        }
        return true
    }
}
