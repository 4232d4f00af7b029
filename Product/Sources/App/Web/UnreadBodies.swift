import AquiferConcurrency
import Foundation
import HTTPServer

/// The answers in memory that clients of one user have not read yet.
///
/// Equal ones are one copy, however many wait for it. Together they have a bound: a client that reads nothing costs its user, and not
/// the server.
final class UnreadBodies: Sendable {
    /// The most bytes, unless a single answer is larger. A browser reads six of the largest pictures at a time.
    static let most = 128 << 20
    /// The size in bytes from which equal answers share their bytes.
    private static let shared = 64 << 10

    private final class Body: Sendable {
        let data: Data
        private let end: @Sendable (Int) -> Void

        init(_ data: Data, end: @escaping @Sendable (Int) -> Void) { (self.data, self.end) = (data, end) }

        deinit { end(data.count) }
    }

    private struct Weak: Sendable {
        weak var body: Body?
    }

    private struct State {
        var bytes = 0
        /// The large bodies by their size.
        var large: [Int: [Weak]] = [:]
    }

    private let state = Locked(State())

    /// This answer, counted until it was sent; 429 if there is no room for it.
    func counting(_ response: ServerResponse) -> ServerResponse {
        guard case .bytes(let data) = response.body, !data.isEmpty else { return response }
        guard let body = body(data) else {
            return .problem(429, "busy", "this user has too many answers on this server that were not read; read them")
        }
        var response = response
        response.body = .bytes(body.data)
        response.keep(body)
        return response
    }

    private func body(_ data: Data) -> Body? {
        // Bodies are compared, and released, outside of the lock: their end takes it.
        let equal = state.withLock { $0.large[data.count] ?? [] }.compactMap(\.body).first { $0.data == data }
        if let equal { return equal }
        let hasRoom = state.withLock { state in
            guard state.bytes == 0 || state.bytes + data.count <= Self.most else { return false }
            state.bytes += data.count
            return true
        }
        guard hasRoom else { return nil }
        let body = Body(data) { [state] count in
            state.withLock { state in
                state.bytes -= count
                let left = state.large[count]?.filter { $0.body != nil } ?? []
                state.large[count] = left.isEmpty ? nil : left
            }
        }
        if data.count >= Self.shared { state.withLock { $0.large[data.count, default: []].append(Weak(body: body)) } }
        return body
    }
}
