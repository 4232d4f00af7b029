import Foundation
import HTTPServer

/// A request to a remote, and what became of it.
public struct ReferenceRequest: Sendable, Hashable, Codable {
    /// The method: `GET`.
    public var method: String
    /// The path without its query, shortened to 200 characters.
    public var path: String
    /// The `Range` header, as it was written.
    public var range: String?
    /// The status, or `nil` when the connection was cut before any answer, or there is none yet.
    public var status: Int?
    /// How many bytes of the answer's body were sent so far: handed to the network, which may lose some of them when
    /// the client leaves.
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

        /// Changes what is remembered of a request, if it still is.
        mutating func change(_ number: Int, _ change: (inout ReferenceRequest) -> Void) {
            guard number >= first else { return }
            change(&requests[number - first])
        }
    }

    /// How many requests are remembered.
    static let length = 200

    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()

    var counts: TransferCounts { lock.withLock { state.counts } }
    var requests: [ReferenceRequest] { lock.withLock { state.requests } }
    var files: [String: UInt64] { lock.withLock { state.files } }

    /// A request has come; its number.
    func begin(_ request: ServerRequest) -> Int {
        lock.withLock {
            state.counts.active += 1
            state.requests.append(
                ReferenceRequest(
                    method: request.method, path: String(request.path.prefix(200)), range: request.headers["Range"],
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

    /// Bytes of the answer are about to go out: counted before, so that who has them all finds them counted.
    ///
    /// - Parameter file: the path of the file that they are of, if they are of one.
    func sent(_ number: Int, _ count: Int, file: String?) {
        lock.withLock {
            state.change(number) { $0.bytes += UInt64(count) }
            if let file { state.files[file, default: 0] += UInt64(count) }
        }
    }

    /// Bytes that were counted did not go out after all.
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
