import AquiferConcurrency

/// A value that is opened on first use: a command that shows the feed does not open the pictures. While it cannot be
/// opened, every call tries again, and throws the error.
///
/// Opening may take long: another process may hold the folder, and a disk may stand still. A thread of its own opens the value,
/// and all callers await it: neither the screens' thread nor those of the tasks, which are few, wait.
final class Lazy<Value: Sendable, Failure: Error>: Sendable {
    private enum State {
        case closed
        case opening(Task<Result<Value, Failure>, Never>)
        case open(Value)
    }

    private let open: @Sendable () throws(Failure) -> Value
    private let state = Locked(State.closed)

    init(_ open: @escaping @Sendable () throws(Failure) -> Value) {
        self.open = open
    }

    /// The value, which is opened once.
    func callAsFunction() async throws(Failure) -> Value {
        switch state.withLock(begin) {
        case .open(let value): return value
        case .opening(let task): return try await task.value.get()
        case .closed: preconditionFailure("opening has begun")
        }
    }

    /// Begins to open the value, if nobody has. The caller holds the lock.
    private func begin(_ state: inout State) -> State {
        if case .closed = state { state = .opening(Task { await openedBeside() }) }
        return state
    }

    private func openedBeside() async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            do throws(SystemThread.Unavailable) {
                try SystemThread.start(named: "opening") { continuation.resume(returning: self.opened()) }
            } catch {
                continuation.resume(returning: opened())  // there is no thread left: this one waits
            }
        }
    }

    private func opened() -> Result<Value, Failure> {
        do throws(Failure) {
            let value = try open()
            state.withLock { $0 = .open(value) }
            return .success(value)
        } catch {
            state.withLock { $0 = .closed }
            return .failure(error)
        }
    }
}
