import AquiferFoundation

/// A form with files, as `multipart/form-data` (RFC 7578). Files are read only while the body is sent.
///
/// ```swift
/// var form = MultipartForm()
/// form.add("title", "Morning birds")
/// try form.add("audio", file: recording, type: "audio/mpeg")
/// var request = HTTPRequest(.post, url, headers: ["Content-Type": form.contentType], body: form.body)
/// ```
public struct MultipartForm: Sendable {
    /// A file that cannot be sent.
    public struct UnusableFile: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name of the file.
        public let name: String
        /// The fault, as the end of a sentence about the file.
        public let reason: String

        /// One line with the name and the fault.
        public var description: String { "\(name) \(reason)" }
    }

    /// The line between the fields.
    public let boundary: String
    private var parts: [HTTPBody.Part] = []

    /// A form without fields.
    ///
    /// - Parameter id: makes the boundary one that no field contains.
    public init(id: UUID = UUID()) {
        boundary = "aquifer-\(id.uuidString)"
    }

    /// The value of the request's `Content-Type`.
    public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The request's body: the fields in the order they were added.
    public var body: HTTPBody { HTTPBody(parts: parts + [.bytes(Data("--\(boundary)--\r\n".utf8))]) }

    /// Adds a text.
    public mutating func add(_ name: String, _ value: String) {
        add(head: disposition(name, nil), .bytes(Data(value.utf8)))
    }

    /// Adds bytes, as a file if `filename` is given.
    public mutating func add(_ name: String, _ bytes: Data, type: String, filename: String? = nil) {
        add(head: disposition(name, filename) + field(type), .bytes(bytes))
    }

    /// Adds a file, by default under its own name. It is read while the body is sent.
    ///
    /// - Throws: ``UnusableFile`` when there is no such file now.
    public mutating func add(
        _ name: String, file: URL, type: String, filename: String? = nil
    ) throws(UnusableFile) {
        let facts = try FileFacts(of: file)
        add(
            head: disposition(name, filename ?? file.lastPathComponent) + field(type),
            .file(file, offset: 0, length: facts.size))
    }

    private mutating func add(head: String, _ content: HTTPBody.Part) {
        parts.append(.bytes(Data("--\(boundary)\r\n\(head)\r\n".utf8)))
        parts.append(content)
        parts.append(.bytes(Data("\r\n".utf8)))
    }

    private func disposition(_ name: String, _ filename: String?) -> String {
        let file = filename.map { "; filename=\"\(Self.escaped($0))\"" } ?? ""
        return "Content-Disposition: form-data; name=\"\(Self.escaped(name))\"\(file)\r\n"
    }

    private func field(_ type: String) -> String { "Content-Type: \(Self.escaped(type, quotes: false))\r\n" }

    /// Escapes a name as browsers do (RFC 7578, 2 and 4.2; WHATWG HTML, "multipart/form-data encoding algorithm"). An
    /// unescaped quote or line break would end the name, so that its author could add fields.
    private static func escaped(_ text: String, quotes: Bool = true) -> String {
        PercentEncoding.encode(quotes ? withEscapedBackslashes(text) : text) { byte in
            ![0, 0x0A, 0x0D].contains(byte) && (byte != UInt8(ascii: "\"") || !quotes)
        }
    }

    /// Doubles the backslashes that a server would take for an escape (RFC 822, 3.3): those before the closing quote or
    /// before another one. Browsers leave the others as they are, and so does this.
    private static func withEscapedBackslashes(_ text: String) -> String {
        let backslash = UInt8(ascii: "\\")
        guard text.utf8.contains(backslash) else { return text }
        let bytes = Array(text.utf8)
        var escaped: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            escaped.append(byte)
            let next = place + 1 < bytes.count ? bytes[place + 1] : backslash
            if byte == backslash, next == backslash { escaped.append(backslash) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
