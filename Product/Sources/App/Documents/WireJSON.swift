import Aquifer
import Foundation

/// The JSON that pages and programs receive. `docs/json.md` describes the documents of the command line.
///
/// Its keys are sorted, so that equal values are equal texts. Times are RFC 3339, in UTC. Every character that controls a
/// terminal, or hides, is escaped.
public enum WireJSON {
    /// The JSON of a value, in one line.
    public static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Foundation's form has years of more than four digits.
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.rfc3339)
        }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        do {
            return harmless(String(decoding: try encoder.encode(value), as: UTF8.self))
        } catch {
            // Only an `encode(to:)` that throws errors of its own gets here, and none does.
            assertionFailure("\(error)")
            return "null"
        }
    }

    static func data(_ value: some Encodable) -> Data { Data(text(value).utf8) }

    /// Escapes harmful characters, and combining marks that would climb over other lines. They occur only inside of
    /// strings, where JSON allows the escapes.
    private static func harmless(_ json: String) -> String {
        guard json.unicodeScalars.contains(where: { $0.isHarmful || $0.isMark }) else { return json }
        var text = ""
        var marks = 0
        for scalar in json.unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            guard scalar.isHarmful || marks > String.mostMarks else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let hex = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
        }
        return text
    }
}

/// A property that is encoded as `null` when it has no value. A plain optional would be left out.
@propertyWrapper
public struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The value.
    public var wrappedValue: Value?

    /// Creates the property.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    /// Encodes the value, or `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension OrNull: Decodable where Value: Decodable {
    /// Decodes the value; `null` is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}
