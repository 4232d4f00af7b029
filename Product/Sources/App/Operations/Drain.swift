import AquiferConcurrency
import Foundation

/// The way from serving to the end: announced first, so that a load balancer sends new requests elsewhere, then the end of all event
/// streams, whose pages connect elsewhere.
final class Drain: Sendable {
    private struct State {
        var isAnnounced = false
        var isEnding = false
        var waiters: [UUID: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// True once no new requests are wanted.
    var isAnnounced: Bool { state.withLock { $0.isAnnounced } }

    /// From now on ``isAnnounced``.
    func announce() { state.withLock { $0.isAnnounced = true } }

    /// Ends all work that ``running(_:)`` carries out, now and later.
    func endStreams() {
        let waiters = state.withLock { state in
            (state.isAnnounced, state.isEnding) = (true, true)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Carries out work that has no end of its own. It is cancelled when ``endStreams()`` is called, and the call then returns as if
    /// the work had ended.
    func running(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await work() }
            group.addTask { await self.untilEnding() }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func untilEnding() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let id = UUID()
        let isEnding = state.withLock { state in
            if !state.isEnding { state.waiters[id] = continuation }
            return state.isEnding
        }
        if isEnding { continuation.finish() }
        // It ends when the waiter is finished, or this task is cancelled.
        for await _ in stream {}
        _ = state.withLock { $0.waiters.removeValue(forKey: id) }
    }
}
