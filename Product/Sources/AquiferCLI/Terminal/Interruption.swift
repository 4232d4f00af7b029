/// Work that SIGINT and SIGTERM stop in an orderly way: they cancel its task, and it reports its outcome. A signal
/// that comes at least a second after the first ends the process at once.
enum Interruption {
    /// Runs `body` in a task that the first signal cancels. Call this only once in a process.
    ///
    /// - Returns: The result of `body`, and true if a signal came.
    static func ending<Value: Sendable>(
        _ body: @escaping @Sendable () async -> Value
    ) async -> (value: Value, isInterrupted: Bool) {
        let signals = Signals()
        let work = Task { await body() }
        let watch = Task {
            await signals.untilTold()
            guard !Task.isCancelled else { return false }
            work.cancel()
            return true
        }
        let value = await work.value
        watch.cancel()
        return (value, await watch.value)
    }
}
