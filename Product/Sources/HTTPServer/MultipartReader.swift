import AquiferHTTP
import Foundation

/// Reads a `multipart/form-data` body (RFC 7578) part by part, piece by piece, whatever its size.
///
/// ```swift
/// var reader = try MultipartReader(request)
/// while let part = try await reader.nextPart() {
///     while let piece = try await reader.nextPiece() { try file.write(contentsOf: piece) }
/// }
/// ```
///
/// No more than a piece waits in memory: the client is held back while nobody reads. Boundaries are found wherever
/// the network splits them. One task reads.
public struct MultipartReader {
    /// The limits of a reader.
    public struct Limits: Sendable {
        /// The largest head of a part in bytes.
        public var headBytes: Int
        /// The most parts that there may be.
        public var parts: Int

        /// Limits fit for a form with a file.
        public init(headBytes: Int = 8 << 10, parts: Int = 32) {
            self.headBytes = headBytes
            self.parts = parts
        }
    }

    /// The head of a part.
    public struct Part: Sendable, Hashable {
        /// The name of the field.
        public let name: String
        /// The name that the client gives the file: its own words, and never a path to write to.
        public let filename: String?
        /// The media type that the client gives, as it was written.
        public let contentType: String?
        /// All header lines.
        public let headers: HTTPHeaders
    }

    private let limits: Limits
    private var parser: MultipartParser
    private var body: ServerRequestBody.Iterator
    private var count = 0
    private var isInPart = false

    /// A reader of the request's body, which nobody else reads.
    ///
    /// - Throws: `.notMultipart`, or `.malformed` when the boundary is missing or is none.
    public init(_ request: ServerRequest, limits: Limits = Limits()) throws(MultipartError) {
        let type = request.headers["Content-Type"].flatMap { HeaderParameters($0) }
        guard let type, type.value == "multipart/form-data" else { throw .notMultipart }
        guard let boundary = type["boundary"], (1...70).contains(boundary.utf8.count), boundary.last != " ",
            boundary.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .malformed("the boundary must be a text of 1 to 70 characters") }
        self.limits = limits
        parser = MultipartParser(boundary: boundary, maxHeadBytes: limits.headBytes)
        body = request.body.makeAsyncIterator()
    }

    /// The next part, or `nil` after the last. The unread rest of the part before is skipped, and at the end so is
    /// what follows the closing boundary.
    ///
    /// - Throws: what is wrong with the body; reading on after an error has no meaning.
    public mutating func nextPart(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(MultipartError) -> Part? {
        while isInPart { _ = try await nextPiece() }
        switch try await nextEvent() {
        case .head(let headers):
            count += 1
            guard count <= limits.parts else { throw .tooManyParts(limit: limits.parts) }
            isInPart = true
            return try Self.part(headers)
        default:
            while try await chunk() != nil {}
            return nil
        }
    }

    /// The next bytes of the part, never empty, or `nil` at its end.
    ///
    /// - Throws: what is wrong with the body.
    public mutating func nextPiece(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(MultipartError) -> Data? {
        guard isInPart else { return nil }
        if case .data(let data) = try await nextEvent() { return data }
        isInPart = false
        return nil
    }

    /// The rest of the part, whole.
    ///
    /// - Throws: `.partTooLarge` as soon as more than `limit` bytes have come, and what is wrong with the body.
    public mutating func collect(
        upTo limit: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws(MultipartError) -> Data {
        var whole = Data()
        while let piece = try await nextPiece() {
            guard piece.count <= limit - whole.count else { throw .partTooLarge(limit: limit) }
            whole.append(piece)
        }
        return whole
    }

    private mutating func nextEvent(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(MultipartError) -> MultipartParser.Event {
        while true {
            let event = try parser.next()
            guard event == .needsBytes else { return event }
            if let chunk = try await chunk() { parser.push(chunk) } else { parser.finish() }
        }
    }

    private mutating func chunk(isolation: isolated (any Actor)? = #isolation) async throws(MultipartError) -> Data? {
        do { return try await body.next(isolation: isolation) } catch { throw .body(error) }
    }

    private static func part(_ headers: HTTPHeaders) throws(MultipartError) -> Part {
        guard let line = headers["Content-Disposition"] else { throw .malformed("a part has no Content-Disposition") }
        guard let disposition = HeaderParameters(line), disposition.value == "form-data",
            let name = disposition["name"]
        else { throw .malformed("a part's Content-Disposition must be form-data with a name") }
        return Part(
            name: unescaped(name), filename: disposition["filename"].map(unescaped),
            contentType: headers["Content-Type"], headers: headers)
    }

    /// A name as it is read from the head of a part. Browsers write quotes and line ends there as `%22`, `%0D` and `%0A`, and
    /// nothing else (the HTML standard).
    public static func unescaped(_ text: String) -> String {
        text.replacingExactly("%22", with: "\"").replacingExactly("%0D", with: "\r").replacingExactly("%0A", with: "\n")
    }
}
