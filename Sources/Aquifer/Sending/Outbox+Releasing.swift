/// Items that are tried before their time.
extension Outbox {
    /// Reports that there is a connection again. Items that wait only because no answer arrived are tried at once, by
    /// ``run()`` or the next ``drain()``. A wait that a server asked for by `Retry-After` continues.
    public func connectionRestored() {
        index.connectionRestored(policy.now())
        releases += 1
        release = release ?? .byApp
        findReady()
        work.ring()
        changes.ring()
    }

    /// Tries all *waiting* items at once, by ``run()`` or the next ``drain()``. Call it when the user wants to send now, or has
    /// logged in again.
    ///
    /// It ends the outbox's own waits. A wait that a server asked for by `Retry-After` continues, unless it is a date in an answer without
    /// a date of its own: this machine's clock has measured it, and may be wrong. Refused and paused items stay as they are:
    /// ``retry(_:)`` and ``resume(_:)`` are for those.
    public func retryAll() {
        index.retryAll(policy.now())
        releases += 1
        release = .byUser
        findReady()
        work.ring()
        changes.ring()
    }
}
