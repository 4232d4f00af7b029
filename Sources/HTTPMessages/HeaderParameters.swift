/// A header's value and its parameters: `form-data; name="title"` (RFC 2045, 5.1; RFC 9110, 5.6.6).
package struct HeaderParameters {
    /// The text before the first semicolon, in lower case.
    package let value: String
    private let parameters: [(name: String, value: String)]

    /// Reads a header; `nil` when a quoted text does not end, or something stands where a parameter should.
    package init?(_ header: String) {
        var rest = Array(header.utf8)[...]
        value = Self.token(&rest, until: [0x3B]).lowercased()
        var found: [(String, String)] = []
        while rest.popFirst() != nil {
            let name = Self.token(&rest, until: [0x3D, 0x3B]).lowercased()
            if name.isEmpty, rest.isEmpty || rest.first == 0x3B { continue }
            guard !name.isEmpty, rest.popFirst() == 0x3D else { return nil }
            rest = rest.drop { $0.isBlank }
            if rest.first == 0x22 {
                guard let text = Self.quoted(&rest) else { return nil }
                rest = rest.drop { $0.isBlank }
                guard rest.isEmpty || rest.first == 0x3B else { return nil }
                found.append((name, text))
            } else {
                found.append((name, Self.token(&rest, until: [0x3B])))
            }
        }
        parameters = found
    }

    /// The first parameter of this name, which is written in lower case.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    private static func token(_ rest: inout ArraySlice<UInt8>, until ends: [UInt8]) -> String {
        let text = rest.prefix { !ends.contains($0) }
        rest = rest[text.endIndex...]
        let trimmed = text.drop { $0.isBlank }.reversed().drop { $0.isBlank }.reversed()
        return String(decoding: Array(trimmed), as: UTF8.self)
    }

    /// A backslash escapes a quote and a backslash, and stands for itself before anything else: old browsers write
    /// `C:\music\tune.mp3`.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        var text: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == 0x22 { return String(decoding: text, as: UTF8.self) }
            if byte == 0x5C, let next = rest.first, next == 0x22 || next == 0x5C {
                rest.removeFirst()
                text.append(next)
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
