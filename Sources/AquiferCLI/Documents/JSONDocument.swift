import Aquifer
import Foundation

/// The text of the documents that `--json` prints. `docs/json.md` describes them.
///
/// Keys are sorted, so that equal documents are equal texts. Times are RFC 3339, in UTC. Everything that could control a
/// terminal or hide from the eye is escaped, because documents are shown on terminals, too.
enum JSONDocument {
    /// The document in one line.
    static func text(of document: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        // Documents have texts, numbers, flags and dates, which can always be encoded.
        guard let data = try? encoder.encode(document) else { return "null" }
        return escaped(String(decoding: data, as: UTF8.self))
    }

    /// The same JSON without harmful characters. They occur only within strings, where an escape means the same.
    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isHarmful) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard scalar.isHarmful else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let hex = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
        }
        return escaped
    }
}

/// A value that a document has under its key even if there is none: it is `null` then.
@propertyWrapper
struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
