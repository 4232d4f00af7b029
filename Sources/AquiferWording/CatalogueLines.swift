import AquiferFoundation

/// A catalogue with a text a line, as those of this library are written.
///
/// A command needs a few of a thousand texts, and a decoder of JSON takes longer to read all of them than everything else that a short
/// command does. A line that is not as simple as most goes to the decoder.
struct CatalogueLines {
    private var rest: ArraySlice<UInt8>

    /// The texts by their keys; `nil` if the document has anything but a text in each line.
    static func texts(_ bytes: [UInt8]) -> [String: Language.Text]? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.first == [UInt8(ascii: "{")], lines.last == [UInt8(ascii: "}")] else { return nil }
        var texts: [String: Language.Text] = [:]
        texts.reserveCapacity(lines.count)
        for line in lines.dropFirst().dropLast() {
            let member = member(of: line)
            var simple = CatalogueLines(rest: member)
            if let (key, text) = simple.member() {
                texts[key] = text
            } else {
                let object = Data("{".utf8) + member + Data("}".utf8)
                // The whole document then goes to the decoder, which tells.
                guard let decoded = try? JSONDecoder().decode([String: Language.Text].self, from: object) else {
                    return nil
                }
                texts.merge(decoded) { $1 }
            }
        }
        return texts
    }

    /// The text of one key; `nil` if no line has it, written in the simple way.
    static func text(of key: String, in bytes: [UInt8]) -> Language.Text? {
        guard let start = bytes.firstPlace(of: Array("\n  \"\(key)\": ".utf8)) else { return nil }
        let rest = bytes[(start + 1)...]
        var line = CatalogueLines(rest: member(of: rest[..<(rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex)]))
        return line.member().flatMap { $0 == key ? $1 : nil }
    }

    /// A line without its comma.
    private static func member(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: ",") ? line.dropLast() : line
    }

    /// A key and its text, which end the line; `nil` if they are written in another way.
    private mutating func member() -> (String, Language.Text)? {
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        guard let key = string(), skip(": ") else { return nil }
        if let text = string() { return rest.isEmpty ? (key, .plain(text)) : nil }
        guard skip("{") else { return nil }
        var forms: [String: String] = [:]
        repeat {
            guard let name = string(), skip(": "), let form = string() else { return nil }
            forms[name] = form
        } while skip(", ")
        return skip("}") && rest.isEmpty ? (key, .forms(forms)) : nil
    }

    /// A string without escapes.
    private mutating func string() -> String? {
        guard rest.first == UInt8(ascii: "\""),
            let end = rest.dropFirst().firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }),
            rest[end] == UInt8(ascii: "\"")
        else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(validating: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let isThere = text.withUTF8Buffer { rest.starts(with: $0) }
        if isThere { rest = rest.dropFirst(text.utf8CodeUnitCount) }
        return isThere
    }
}

extension [UInt8] {
    /// The first place at which these bytes begin; `nil` if there is none.
    fileprivate func firstPlace(of part: [UInt8]) -> Int? {
        guard let first = part.first, count >= part.count else { return nil }
        return withUnsafeBufferPointer { whole in
            part.withUnsafeBufferPointer { part in
                (0...(whole.count - part.count)).first { place in
                    whole[place] == first && part.indices.allSatisfy { whole[place + $0] == part[$0] }
                }
            }
        }
    }
}
