import Aquifer
import AquiferFoundation

/// Puts the head of an answer together from its lines: the last head, after those of 1xx answers.
struct HeadParser {
    enum Step {
        /// Not yet whole, or a line after the head (a trailer).
        case more
        case complete(status: Int, headers: HTTPHeaders)
        case refused(TransportError)
    }

    private let limit: Int
    private var bytes = 0
    private var status = 0
    private var fields: [HTTPHeaders.Field] = []
    private var isComplete = false

    /// A parser that refuses more than `limit` bytes of lines.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one line with its line break.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
        // Trailers say nothing that anybody here asks for.
        guard !isComplete else { return .more }
        // Counted over every head of the answer, so that endless 1xx answers end, too.
        bytes += line.count
        guard bytes <= limit else {
            return .refused(TransportError(.headersTooLarge, "more than \(limit) bytes of header fields"))
        }
        let text = line.trimmed
        if line.starts(with: "HTTP/".utf8) {
            fields.removeAll(keepingCapacity: true)
            let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
            status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
            return (100...999).contains(status) ? .more : .refused(TransportError(.malformed, "no status code"))
        }
        if text.isEmpty {
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete(status: status, headers: HTTPHeaders(fields))
        }
        if let first = line.first, first == 0x20 || first == 0x09 {
            // A continued line (RFC 9112, 5.2): obsolete, and one value all the same.
            if !fields.isEmpty { fields[fields.count - 1].value += " " + text.fieldValue }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            fields.append(.init(text[..<colon].text, text[(colon + 1)...].trimmed.fieldValue))
        }
        return .more
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection, SubSequence: BidirectionalCollection {
    /// Without the white space around it.
    fileprivate var trimmed: SubSequence {
        let rest = drop { $0 <= 0x20 }
        guard let last = rest.lastIndex(where: { $0 > 0x20 }) else { return self[endIndex...] }
        return self[rest.startIndex...last]
    }

    /// As text in which a line break within the line, of which some servers are capable, is a space (RFC 9110, 5.5):
    /// whoever passes the value on passes one line on.
    fileprivate var fieldValue: String {
        guard contains(where: { [0, 0x0A, 0x0D].contains($0) }) else { return text }
        return map { [0, 0x0A, 0x0D].contains($0) ? 0x20 : $0 }.text
    }

    /// As UTF-8 if that is what it is, else as the Latin-1 that HTTP once said it was: no byte is lost.
    fileprivate var text: String {
        String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}
