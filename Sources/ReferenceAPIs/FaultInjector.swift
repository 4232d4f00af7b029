import Foundation
import HTTPServer

/// Stands before a remote: counts its transfers, and spoils its answers as told.
final class FaultInjector: Sendable {
    private struct State {
        var fault = Fault.none
        var counts = TransferCounts()
    }

    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()
    private let clock: any Clock<Duration>
    private let charges: Bool

    /// - Parameter charges: whether a `POST` to the remote charges somebody.
    init(clock: any Clock<Duration>, charges: Bool = false) {
        self.clock = clock
        self.charges = charges
    }

    var fault: Fault {
        get { lock.withLock { state.fault } }
        set { lock.withLock { state.fault = newValue } }
    }

    var counts: TransferCounts { lock.withLock { state.counts } }

    /// The answer of `handler`, spoilt by the fault of the moment.
    func answer(_ request: ServerRequest, _ handler: ServerHandler) async -> ServerResponse {
        begin()
        let fault = effect(of: fault, on: request)
        if fault == .offline {
            end(whole: false)
            return .drop
        }
        if fault == .slow {
            do { try await clock.sleep(for: .milliseconds(800)) } catch {
                end(whole: false)
                return .drop
            }
        }
        if fault == .answerLost {
            _ = await handler(request)
            end(whole: false)
            return .drop
        }
        // A server that is out of order does not charge anybody.
        var response = fault == .failing ? outOfOrder : spoil(fault, await handler(request))
        guard case .bytes(let data) = response.body, !data.isEmpty, fault == .slow || fault == .cut else {
            end(whole: true)
            return response
        }
        response.body = .stream(length: UInt64(data.count)) { [self] writer in
            do {
                try await trickle(data, fault, writer)
                end(whole: true)
            } catch {
                end(whole: false)
                throw error
            }
        }
        return response
    }

    /// Only charges lose their answers: who was charged can still ask.
    private func effect(of fault: Fault, on request: ServerRequest) -> Fault {
        guard fault == .answerLost else { return fault }
        guard charges else { return .cut }
        return request.method == "POST" ? .answerLost : .none
    }

    private var outOfOrder: ServerResponse { .error(503, "out of order") }

    private func spoil(_ fault: Fault, _ response: ServerResponse) -> ServerResponse {
        guard fault == .garbage else { return response }
        var garbage = ServerResponse.json(Data(#"{"items":"soon"}"#.utf8))
        garbage.headers["Content-Type"] = response.headers["Content-Type"]
        return garbage
    }

    private struct Cut: Error {}

    private func trickle(_ data: Data, _ fault: Fault, _ writer: ServerResponseWriter) async throws {
        if fault == .cut {
            try await writer.write(data.prefix(data.count / 2))
            throw Cut()
        }
        let step = max(1, data.count / 8)
        for start in stride(from: 0, to: data.count, by: step) {
            try await writer.write(data[start..<min(start + step, data.count)])
            try await clock.sleep(for: .milliseconds(150))
        }
    }

    private func begin() { lock.withLock { state.counts.active += 1 } }

    private func end(whole: Bool) {
        lock.withLock {
            state.counts.active -= 1
            if whole { state.counts.completed += 1 } else { state.counts.cut += 1 }
        }
    }
}
