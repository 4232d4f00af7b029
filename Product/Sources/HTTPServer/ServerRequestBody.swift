import AquiferConcurrency
import Foundation

/// Why a request's body could not be read to its end.
public enum ServerBodyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The body is larger than this many bytes.
    case tooLarge(limit: Int)
    /// The connection ended before the body was whole.
    case clientLeft
    /// The reading task was cancelled.
    case cancelled

    /// The failure in words, for developers.
    public var description: String {
        switch self {
        case .tooLarge(let limit): "the body is larger than the \(limit) bytes allowed"
        case .clientLeft: "the client left before the body was whole"
        case .cancelled: "cancelled while the body was being read"
        }
    }
}

/// The body of a request: chunks as they arrive.
///
/// A body is read once, by one task. While nobody reads, the client is held back: at most a quarter of a
/// megabyte waits in memory, whatever the size of the upload, and nothing if the gate does not know the sender.
public struct ServerRequestBody: AsyncSequence, Sendable {
    /// A piece of the body, never empty.
    public typealias Element = Data
    /// The error of reading.
    public typealias Failure = ServerBodyError

    enum Source: Sendable {
        case chunks(Locked<[Data]>)
        case upload(Exchange)
    }

    let source: Source?

    /// A body that comes, and cannot be read yet.
    static let unread = ServerRequestBody([])

    /// True if there is none. (One that is announced may still turn out to have no bytes.)
    public var isAbsent: Bool { source == nil }

    /// No body at all.
    public static let empty = ServerRequestBody(source: nil)

    /// A body of these chunks, for requests made by hand.
    public init(_ chunks: [Data]) {
        self.init(source: .chunks(Locked(chunks.reversed())))
    }

    init(source: Source?) {
        self.source = source
    }

    /// Reads the chunks in turn.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// The whole body.
    ///
    /// - Throws: `.tooLarge` as soon as more than `limit` bytes have come; `.clientLeft`; `.cancelled`.
    public func collect(upTo limit: Int) async throws(ServerBodyError) -> Data {
        var whole = Data()
        var iterator = makeAsyncIterator()
        while let chunk = try await iterator.next(isolation: #isolation) {
            guard chunk.count <= limit - whole.count else { throw .tooLarge(limit: limit) }
            whole.append(chunk)
        }
        return whole
    }

    /// Reads the chunks in turn.
    public struct Iterator: AsyncIteratorProtocol {
        let source: Source?

        /// The next chunk, or `nil` at the end.
        public mutating func next() async throws(ServerBodyError) -> Data? {
            try await next(isolation: nil)
        }

        /// The next chunk, or `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ServerBodyError) -> Data? {
            switch source {
            case nil: nil
            case .chunks(let chunks): chunks.withLock { $0.popLast() }
            case .upload(let exchange): try await exchange.nextChunk()
            }
        }
    }
}
