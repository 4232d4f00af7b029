import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// The service that ``FoaasAPIManager`` asks. The app sets it when it starts; calls that come earlier wait for it.
final class FoaasSetting: Sendable {
    /// The time that a call waits for the app to set the service. An app sets it in a moment; the call fails in one
    /// that never does.
    static let patience = Duration.seconds(10)

    private struct State {
        var service: FoaasService?
        /// The number of calls so far.
        var calls = 0
        var waiting: [Int: AsyncStream<FoaasService>.Continuation] = [:]
    }

    private let state = Locked(State())
    private let clock: any Clock<Duration>

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Sets the service, and hands it to the calls that wait.
    func set(_ service: FoaasService) {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.service = service
            return Array(state.waiting.values)
        }
        for continuation in waiting {
            continuation.yield(service)
            continuation.finish()
        }
    }

    /// The number of calls that wait.
    var waiters: Int { state.withLock { $0.waiting.count } }

    /// The service, as soon as it is set.
    ///
    /// - Throws: ``LoadError/connectivity(_:)`` when it was not set within ``patience``; ``LoadError/cancelled``.
    func service() async throws(LoadError) -> FoaasService {
        let (stream, continuation) = AsyncStream.makeStream(of: FoaasService.self)
        let (known, id) = state.withLock { state in
            state.calls += 1
            if state.service == nil { state.waiting[state.calls] = continuation }
            return (state.service, state.calls)
        }
        if let known { return known }
        defer { state.withLock { $0.waiting[id] = nil } }
        let limit = Task { [clock] in
            // Cancelled when the service is there, and then there is nothing left to end.
            try? await clock.sleep(for: Self.patience)
            continuation.finish()
        }
        defer { limit.cancel() }
        for await service in stream { return service }
        if Task.isCancelled { throw .cancelled }
        throw .connectivity(
            TransportError(.cannotConnect, "no server is set; call FoaasAPIManager.configure(_:) when the app starts"))
    }
}
