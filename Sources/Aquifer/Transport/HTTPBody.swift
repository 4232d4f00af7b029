import AquiferFoundation

/// The body of a request: pieces of memory and of files, one after another.
///
/// Files are read as they are sent, so a body larger than memory is fine, and a body can be sent again.
public struct HTTPBody: Sendable, Hashable {
    /// One piece of a body.
    public enum Part: Sendable, Hashable {
        /// Bytes held in memory.
        case bytes(Data)
        /// A slice of a file, in bytes from its start. The file must stay as it is until the request has ended.
        case file(URL, offset: UInt64, length: UInt64)

        /// The size of this piece in bytes.
        public var length: UInt64 {
            switch self {
            case .bytes(let data): UInt64(data.count)
            case .file(_, _, let length): length
            }
        }
    }

    /// The pieces, in the order they are sent.
    public var parts: [Part]

    /// A body of these pieces.
    public init(parts: [Part]) {
        self.parts = parts
    }

    /// A body held in memory.
    public static func bytes(_ data: Data) -> HTTPBody { HTTPBody(parts: [.bytes(data)]) }

    /// The size of the whole body in bytes: what `Content-Length` says.
    public var length: UInt64 { parts.reduce(0) { $0 + $1.length } }
}
