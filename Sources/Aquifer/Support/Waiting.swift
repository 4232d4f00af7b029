/// Waits for a resource of another process, which does not notify when it releases the resource.
package enum Waiting {
    /// Tries until `attempt` is true, at growing intervals up to 2 ms; false when `patience` is over. Blocks this
    /// thread: call it only on the library's own queues, and to open a store.
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
