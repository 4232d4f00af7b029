import AquiferConcurrency
import Foundation
import HTTPServer

/// A request to a remote, and its answer.
public struct ReferenceRequest: Sendable, Hashable, Codable {
    /// The method: `GET`.
    public var method: String
    /// The path without its query, shortened to 200 characters.
    public var path: String
    /// The `Range` header, as it was written.
    public var range: String?
    /// The status; `nil` when there is no answer yet, or the connection was cut before any.
    public var status: Int?
    /// The number of bytes of the answer's body that were sent so far. They were handed to the network, which may lose
    /// some of them when the client leaves.
    public var bytes: UInt64
}

/// Counts a remote's transfers, and remembers the last of its requests.
final class RequestLog: Sendable {
    private struct State {
        var counts = TransferCounts()
        var requests: [ReferenceRequest] = []
        /// The number of the first request that is remembered.
        var first = 0
        var files: [String: UInt64] = [:]

        /// Changes the record of a request, if it is still remembered.
        mutating func change(_ number: Int, _ change: (inout ReferenceRequest) -> Void) {
            guard number >= first else { return }
            change(&requests[number - first])
        }
    }

    /// The number of requests that are remembered.
    static let length = 200

    private let lock = Lock()
    nonisolated(unsafe) private var state = State()

    var counts: TransferCounts { lock.withLock { state.counts } }
    var requests: [ReferenceRequest] { lock.withLock { state.requests } }
    var files: [String: UInt64] { lock.withLock { state.files } }

    /// Records a request that has come.
    ///
    /// - Returns: its number.
    func begin(_ request: ServerRequest) -> Int {
        lock.withLock {
            state.counts.active += 1
            state.requests.append(
                ReferenceRequest(
                    method: request.method.rawValue, path: String(request.path.prefix(200)),
                    range: request.headers["Range"],
                    status: nil, bytes: 0))
            if state.requests.count > Self.length {
                state.requests.removeFirst()
                state.first += 1
            }
            return state.first + state.requests.count - 1
        }
    }

    func answered(_ number: Int, status: Int) {
        lock.withLock { state.change(number) { $0.status = status } }
    }

    /// Counts bytes of the answer before they go out, so that a client that has them all finds them counted.
    ///
    /// - Parameter file: the path of the file whose bytes they are, if there is one.
    func sent(_ number: Int, _ count: Int, file: String?) {
        lock.withLock {
            state.change(number) { $0.bytes += UInt64(count) }
            if let file { state.files[file, default: 0] += UInt64(count) }
        }
    }

    /// Takes back bytes that were counted and did not go out after all.
    func takeBack(_ number: Int, _ count: Int, file: String?) {
        lock.withLock {
            state.change(number) { $0.bytes -= UInt64(count) }
            if let file { state.files[file, default: 0] -= UInt64(count) }
        }
    }

    func end(whole: Bool) {
        lock.withLock {
            state.counts.active -= 1
            if whole { state.counts.completed += 1 } else { state.counts.cut += 1 }
        }
    }
}
