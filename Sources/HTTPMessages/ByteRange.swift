/// The meaning of a `Range` header for content of a known length (RFC 9110, 14.2).
package enum ByteRange: Equatable {
    /// All of the content: the header is missing, has several ranges, or cannot be read.
    case whole
    /// These bytes.
    case part(Range<UInt64>)
    /// A range outside of the content: 416.
    case unsatisfiable

    /// The range that a header asks for in content of `length` bytes.
    package init(_ header: String?, length: UInt64) {
        guard let header, let equals = header.firstIndex(of: "="),
            String(header[..<equals]).equalsIgnoringASCIICase("bytes")
        else {
            self = .whole
            return
        }
        let parts = header[header.index(after: equals)...].filter { $0 != " " }
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            self = .whole
            return
        }
        // Digits only from here on: a number that does not fit is as good as the largest.
        let numbers = parts.map { $0.isEmpty ? nil : UInt64($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, nil): self = .whole
        case (nil, let suffix?):
            self = suffix == 0 || length == 0 ? .unsatisfiable : .part(length - min(suffix, length)..<length)
        case (let first?, let last):
            if let last, last < first {
                self = .whole
            } else if first >= length {
                self = .unsatisfiable
            } else {
                self = .part(first..<min(last ?? .max, length - 1) + 1)
            }
        }
    }
}

/// `Content-Range: bytes 0-9/100`, `bytes 0-9/*` or `bytes */100` (RFC 9110, 14.4).
package struct ContentRange: Sendable, Equatable {
    /// The bytes of the answer; `nil` if it has none of the content.
    package var bytes: Range<Int>?
    /// The length of the content; `nil` if the server does not know it.
    package var total: Int?

    /// Reads the value of the header; `nil` if it is missing or cannot be read.
    package init?(_ header: String?) {
        guard let header, header.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = header.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let total = Self.number(parts[1]) else { return nil }
            self.total = total
        }
        guard parts[0] != "*" else { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < Int.max else {
            return nil
        }
        bytes = first..<(last + 1)
    }

    /// The value of the header for a part of content of `length` bytes; `nil` stands for no part (416).
    package static func text(_ part: Range<UInt64>?, of length: UInt64) -> String {
        "bytes \(part.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*")/\(length)"
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int(text) : nil
    }
}
