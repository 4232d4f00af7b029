import AquiferConcurrency
import Foundation

/// Why a piece of a streamed answer was not taken.
public enum ServerStreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The client has gone, the task was cancelled, or the server is being stopped: nobody will read this.
    case closed
    /// More bytes than the announced length.
    case tooLong(announced: UInt64)

    /// The failure in words, for developers.
    public var description: String {
        switch self {
        case .closed: "nobody reads this answer any more"
        case .tooLong(let announced): "more was written than the \(announced) bytes announced"
        }
    }
}

/// The writer of a streamed answer. Several tasks may write; each piece stays whole.
public struct ServerResponseWriter: Sendable {
    private let sink: @Sendable (Data) async throws(ServerStreamError) -> Void

    /// A writer into `sink`, so that a streamed answer can be tried without a socket.
    public init(_ sink: @escaping @Sendable (Data) async throws(ServerStreamError) -> Void) {
        self.sink = sink
    }

    /// Sends a piece. Returns at once while little is waiting, and suspends while the client is slow: at most
    /// 64 KB and this piece wait in memory.
    ///
    /// - Throws: `.closed` when the client has gone, `.tooLong` past the announced length.
    public func write(_ data: Data) async throws(ServerStreamError) {
        try await sink(data)
    }
}

extension ServerResponse {
    /// The whole body, read as a client would, for handlers tried without a socket.
    ///
    /// - Throws: what the stream throws, or the error of reading the file.
    public func collectBody() async throws -> Data {
        switch body {
        case .bytes(let data): return data
        case .file(let path, let offset, let length):
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            // It was only read; `closeFile()` would trap.
            defer { try? file.close() }
            try file.seek(toOffset: offset)
            return try file.read(upToCount: Int(length)) ?? Data()
        case .stream(let length, let produce):
            let whole = Locked(Data())
            let encoder = length == nil ? encoder : nil
            try await produce(
                ServerResponseWriter { data throws(ServerStreamError) in
                    whole.withLock { $0.append(encoder?.encode(data) ?? data) }
                })
            return whole.withLock { $0 + (encoder?.end() ?? Data()) }
        }
    }
}
