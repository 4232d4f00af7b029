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

    /// True if a part is a file.
    var hasFiles: Bool { parts.contains { if case .file = $0 { true } else { false } } }

    /// A body held in memory.
    public static func bytes(_ data: Data) -> HTTPBody { HTTPBody(parts: [.bytes(data)]) }

    /// The size of the whole body in bytes: what `Content-Length` says.
    public var length: UInt64 { parts.reduce(0) { $0.saturatingAdding($1.length) } }

    /// The whole body in memory, files read, unless it is larger than `limit` bytes.
    ///
    /// Clients send a body piece by piece. This is for those that cannot, and for tests:
    ///
    /// ```swift
    /// #expect(try client.requests.first?.body?.data() == Data("milk".utf8))
    /// ```
    ///
    /// - Throws: `.bodyTooLarge`, before anything is read; `.unreadableBody` when a file cannot be read or is shorter than
    ///   its part.
    public func data(upTo limit: Int = .max) throws(TransportError) -> Data {
        var rest = UInt64(max(0, limit))
        for part in parts {
            guard part.length <= rest else { throw .bodyTooLarge(limit: limit) }
            rest -= part.length
        }
        if parts.count == 1, case .bytes(let data) = parts[0] { return data }
        var all = Data()
        for part in parts {
            switch part {
            case .bytes(let data): all.append(data)
            case .file(let url, let offset, let length): all.append(try Self.slice(of: url, offset, length))
            }
        }
        return all
    }

    private static func slice(of url: URL, _ offset: UInt64, _ length: UInt64) throws(TransportError) -> Data {
        func unreadable(_ reason: String) -> TransportError {
            TransportError(.unreadableBody, "\(url.lastPathComponent): \(reason)")
        }
        guard let start = Int(exactly: offset), let count = Int(exactly: length), count <= .max - start else {
            throw unreadable("it is too short")
        }
        var isWhole = true
        let bytes: Data
        do throws(StoreError) {
            guard let file = try POSIX.openToRead(url.path) else {
                throw .failed(operation: "open", reason: "there is no such file")
            }
            bytes = try POSIX.data(count) { target throws(StoreError) in
                isWhole = try POSIX.read(file, into: target, at: start) == target.count
            }
        } catch {
            guard case .failed(_, let reason) = error else { throw unreadable(error.description) }
            throw unreadable(reason)
        }
        guard isWhole else { throw unreadable("it is too short") }
        return bytes
    }
}
