import AquiferHTTP
import Foundation

/// Takes a multipart body apart as its bytes come, wherever they are split (RFC 2046, 5.1.1).
///
/// Keeps no more than what it cannot decide yet: a possible boundary, or the head of a part.
struct MultipartParser {
    enum Event: Equatable {
        /// Push more bytes, or say that there are none.
        case needsBytes
        /// A part begins, with these header lines.
        case head(HTTPHeaders)
        /// Bytes of the part, never empty.
        case data(Data)
        /// The part is whole.
        case partEnd
        /// The closing boundary was there. Bytes that follow have no meaning.
        case end
    }

    private enum State {
        case preamble
        case head
        /// Before a part's first byte. The empty line that ends the head is pending: in an empty part it may be the
        /// boundary's own.
        case emptyLine
        case content
        /// The last part has ended, and with it the body.
        case closed
    }

    private let delimiter: [UInt8]
    private let maxHeadBytes: Int
    private var state = State.preamble
    /// The first boundary need not follow a line end: one before the body makes it like the others.
    private var pending = Data([0x0D, 0x0A])
    private var isWhole = false

    init(boundary: String, maxHeadBytes: Int) {
        delimiter = Array("\r\n--\(boundary)".utf8)
        self.maxHeadBytes = maxHeadBytes
    }

    /// Adds bytes of the body.
    mutating func push(_ bytes: Data) {
        if state != .closed { pending.append(bytes) }
    }

    /// Says that the body is over.
    mutating func finish() { isWhole = true }

    mutating func next() throws(MultipartError) -> Event {
        while true {
            switch state {
            case .preamble:
                // Bytes before the first boundary are no part's.
                switch try content() {
                case .data, .partEnd: continue
                case let event: return event
                }
            case .head: return try head()
            case .emptyLine:
                if case .maybe = match(Array(pending.prefix(longestDelimiter))) { return try moreBytes() }
                if case .no = match(Array(pending.prefix(longestDelimiter))) { _ = take(2) }
                state = .content
            case .content: return try content()
            case .closed: return .end
            }
        }
    }

    private func moreBytes() throws(MultipartError) -> Event {
        guard !isWhole else { throw .truncated }
        guard pending.count <= longestDelimiter else { throw .headTooLarge(limit: maxHeadBytes) }
        return .needsBytes
    }

    // MARK: Boundaries

    /// A boundary may be padded with blanks, and the padding is bounded as a head is.
    private var longestDelimiter: Int { delimiter.count + maxHeadBytes }

    /// The bytes that surely are content, or the boundary that ends it.
    private mutating func content() throws(MultipartError) -> Event {
        let (count, found) = search()
        if count > 0 { return .data(take(count)) }
        guard let found else { return try moreBytes() }
        let hadPart = state == .content
        switch found {
        case .another(let length):
            _ = take(length)
            state = .head
            return .partEnd
        case .closing:
            pending = Data()
            state = .closed
            return hadPart ? .partEnd : .end
        }
    }

    private enum Delimiter {
        /// One after which a part begins; its length with the padding and the line end.
        case another(Int)
        case closing
    }

    private enum Match {
        case no
        /// So far.
        case maybe
        case yes(Delimiter)
    }

    /// The number of bytes before the first boundary, or before what may become one; and that boundary, if it is whole.
    private func search() -> (count: Int, found: Delimiter?) {
        pending.withUnsafeBytes { bytes in
            var from = 0
            while let start = bytes.firstOffset(ofReturnFrom: from) {
                switch match(UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(longestDelimiter))) {
                case .no: from = start + 1
                case .maybe: return (start, nil)
                case .yes(let found): return (start, found)
                }
            }
            return (bytes.count, nil)
        }
    }

    /// Tells whether bytes begin with a boundary. A line that only begins like one is content: boundaries of a message
    /// within may.
    private func match(_ bytes: some RandomAccessCollection<UInt8>) -> Match {
        let common = Swift.min(bytes.count, delimiter.count)
        guard bytes.prefix(common).elementsEqual(delimiter.prefix(common)) else { return .no }
        let line = bytes.dropFirst(delimiter.count)
        if line.first == 0x2D {
            guard line.count > 1 else { return .maybe }
            return line.dropFirst().first == 0x2D ? .yes(.closing) : .no
        }
        let padding = line.prefix { $0.isBlank }
        let end = line.dropFirst(padding.count).prefix(2)
        guard end.elementsEqual([0x0D, 0x0A].prefix(end.count)) else { return .no }
        return end.count == 2 ? .yes(.another(delimiter.count + padding.count + 2)) : .maybe
    }

    // MARK: Heads

    private mutating func head() throws(MultipartError) -> Event {
        let looked = pending.prefix(maxHeadBytes + 4)
        let end: Int
        if looked.starts(with: [0x0D, 0x0A]) {
            end = 0
        } else if let range = looked.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A]) {
            end = looked.distance(from: looked.startIndex, to: range.lowerBound) + 2
        } else {
            guard pending.count < maxHeadBytes + 4 else { throw .headTooLarge(limit: maxHeadBytes) }
            guard !isWhole else { throw .truncated }
            return .needsBytes
        }
        let headers = try Self.headers(String(decoding: take(end), as: UTF8.self))
        state = .emptyLine
        return .head(headers)
    }

    private static func headers(_ text: String) throws(MultipartError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        // A line that begins with a blank continues the one before (RFC 2045 allows it, HTTP does not).
        let unfolded = text.replacingExactly("\r\n ", with: " ").replacingExactly("\r\n\t", with: " ")
        for line in unfolded.components(separatedBy: "\r\n") where !line.isEmpty {
            // A lone CR or LF, or a NUL, would pass on as a line of its own.
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex,
                !line.utf8.contains(where: { [0, 0x0A, 0x0D].contains($0) })
            else { throw .malformed("a line in the head of a part is no header") }
            headers.add(
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t")))
        }
        return headers
    }

    private mutating func take(_ count: Int) -> Data {
        defer { pending = Data(pending.dropFirst(count)) }
        return Data(pending.prefix(count))
    }
}

extension UnsafeRawBufferPointer {
    /// The place of the first carriage return at or after `from`.
    fileprivate func firstOffset(ofReturnFrom from: Int) -> Int? {
        guard let base = baseAddress, from < count, let hit = memchr(base + from, 0x0D, count - from) else {
            return nil
        }
        return base.distance(to: UnsafeRawPointer(hit))
    }
}
