/// The meaning of a `Range` header for something `length` bytes long (RFC 9110, 14).
enum ByteRange: Equatable {
    /// No range, several, or one that cannot be read: all of it.
    case whole
    /// These bytes.
    case part(Range<UInt64>)
    /// A range that lies outside: 416.
    case unsatisfiable

    init(_ header: String?, length: UInt64) {
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
