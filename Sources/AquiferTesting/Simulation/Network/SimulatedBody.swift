import Aquifer
import Foundation

/// The body of a simulated answer, in pieces that take their time.
final class SimulatedBody: HTTPBodySource, @unchecked Sendable {
    private let body: Data
    private let arrives: Int
    private let deadline: SimulatedClock.Instant?
    private let network: SimulatedNetwork
    private var position = 0
    private var isCancelled = false

    /// - Parameter arrives: the number of bytes after which the connection breaks.
    /// - Parameter deadline: the end of the whole transfer; `nil` for none.
    init(_ body: Data, arrives: Int, _ deadline: SimulatedClock.Instant?, _ network: SimulatedNetwork) {
        (self.body, self.arrives, self.deadline, self.network) = (body, min(arrives, body.count), deadline, network)
    }

    func next() async throws(TransportError) -> Data? {
        network.faults.beforeCall()
        guard Scheduler.shared.current.isAlive else { throw TransportError(.interrupted, "the process is dead") }
        guard !isCancelled else { throw .cancelled }
        if position == body.count { return nil }
        let next = SimulatedClock().now.advanced(
            by: network.random.duration(in: .microseconds(10) ... .milliseconds(5)))
        do { try await SimulatedClock().sleep(until: min(next, deadline ?? next)) } catch { throw .cancelled }
        if let deadline, next > deadline { throw TransportError(.timedOut) }
        guard !isCancelled else { throw .cancelled }
        guard position < arrives else { throw TransportError(.interrupted) }
        let end = min(arrives, position + network.random.int(in: 1...16_384))
        defer { position = end }
        return body.subdata(in: body.startIndex + position..<body.startIndex + end)
    }

    func cancel() { isCancelled = true }
}
