import Aquifer
import Foundation
import ImageFeed
import Payments

/// The result of a load as JSON for programs: `{"source":…,"savedAt":…,"because":…,"saveError":…,"value":…}`. The value
/// has the remote's own field names.
public enum LoadReport {
    /// The report of loaded items.
    public static func json<Value>(_ loaded: Loaded<[Value]>, _ write: (Value) -> JSONText) -> String {
        json(loaded, value: .array(loaded.value.map(write)))
    }

    /// The report of a load, with its value as this JSON.
    public static func json<Value>(_ loaded: Loaded<Value>, value: JSONText) -> String {
        let (source, because): (String, FallbackReason?) =
            switch loaded.source {
            case .remote: ("remote", nil)
            case .cache(_, let because): ("cache", because)
            }
        return JSONText.object([
            ("source", .string(source)),
            ("savedAt", loaded.savedAt.map { .string($0.formatted(.iso8601)) } ?? .null),
            ("because", because.map { .string($0.rawValue) } ?? .null),
            ("saveError", loaded.saveError.map { .string("\($0)") } ?? .null),
            ("value", value),
        ]).text
    }
}

extension FeedItem {
    /// The item in the remote's field names.
    public var json: JSONText {
        .object([
            ("id", .string(id.uuidString)),
            ("description", description.map { .string($0) } ?? .null),
            ("location", location.map { .string($0) } ?? .null),
            ("image", .string(image.absoluteString)),
        ])
    }
}

extension Contact {
    /// The contact in the remote's field names.
    public var json: JSONText {
        .object([
            ("id", .int(id)), ("name", .string(name)), ("img", .string(imageURL.absoluteString)),
            ("username", .string(username)),
        ])
    }
}

extension Inspector.Report {
    /// The stores that failed, for programs.
    public var failuresJSON: JSONText {
        .array(
            failures.map { failure in
                .object([("store", .string(failure.store)), ("reason", .string("\(failure.error)"))])
            })
    }
}

extension ImageComment {
    /// The comment in the remote's field names.
    public var json: JSONText {
        .object([
            ("id", .string(id.uuidString)),
            ("message", .string(message)),
            ("created_at", .string(createdAt.formatted(.iso8601))),
            ("author", .object([("username", .string(author))])),
        ])
    }
}

/// JSON with its fields in the order they are given, which `JSONEncoder` does not promise.
public struct JSONText: Sendable {
    /// The text.
    public let text: String

    /// `null`.
    public static let null = JSONText(text: "null")
    /// `true` or `false`.
    public static func bool(_ value: Bool) -> JSONText { JSONText(text: value ? "true" : "false") }
    /// A whole number.
    public static func int(_ value: Int) -> JSONText { JSONText(text: "\(value)") }
    /// A number as it is written.
    public static func raw(_ number: String) -> JSONText { JSONText(text: number) }
    /// An object.
    public static func object(_ fields: [(String, JSONText)]) -> JSONText {
        JSONText(text: "{" + fields.map { "\(string($0.0).text):\($0.1.text)" }.joined(separator: ",") + "}")
    }
    /// An array.
    public static func array(_ elements: [JSONText]) -> JSONText {
        JSONText(text: "[" + elements.map(\.text).joined(separator: ",") + "]")
    }
    /// A text, escaped (RFC 8259, 7); so is everything that drives a terminal or hides from the eye, for JSON is
    /// printed, too.
    public static func string(_ value: String) -> JSONText {
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isHarmful:
                for unit in String(scalar).utf16 {
                    let hex = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return JSONText(text: text + "\"")
    }
    /// A text that may be absent.
    public static func string(_ value: String?) -> JSONText { value.map { string($0) } ?? .null }
}
