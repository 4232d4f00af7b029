import AquiferFoundation
import AquiferHTTP

/// The reason why a path cannot be built.
public enum FoaasPathError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation has no placeholder of this name; it has these.
    case unknown(String, known: [String])
    /// These placeholders are not filled.
    case missing([String])
    /// The path would be longer than a server takes; `limit` is in bytes.
    case tooLong(limit: Int)

    /// One line: the fault, and the remedy.
    public var description: String {
        switch self {
        case .unknown(let name, let known):
            known.isEmpty
                ? "there is nothing to fill in here, and \"\(name)\" was given"
                : "there is no \"\(name)\" to fill in; there is \(known.joined(separator: ", "))"
        case .missing(let names): "still to be filled in: \(names.joined(separator: ", "))"
        case .tooLong(let limit):
            "this is too long: once encoded, the address would have more than \(limit) bytes; say less"
        }
    }
}

/// Fills an operation's placeholders.
///
/// - Placeholders are taken from the url, in its order.
/// - A value is encoded as one segment, whatever is in it: every character of `a/b c?d#e%f` arrives.
/// - A placeholder whose value is cleared stands for itself again.
public struct FoaasPathBuilder: Sendable, Hashable {
    /// The longest encoded path that is built, in bytes. Servers take a head of 16 KiB, path and fields together.
    public static let longest = 15_000

    /// The operation whose placeholders are filled.
    public let operation: FoaasOperation
    /// The placeholders' names, in the order of the url.
    public let placeholders: [String]
    private var values: [String: String] = [:]

    /// A path with nothing filled in.
    public init(_ operation: FoaasOperation) {
        self.operation = operation
        placeholders = operation.placeholders
    }

    /// The value of a placeholder; `nil` while it is not filled, and for a name that is no placeholder of the
    /// operation.
    public subscript(_ placeholder: String) -> String? { values[placeholder] }

    /// Fills a placeholder, or empties it with an empty text.
    ///
    /// - Throws: ``FoaasPathError/unknown(_:known:)`` when the operation has no such placeholder.
    public mutating func set(_ value: String, for placeholder: String) throws(FoaasPathError) {
        guard placeholders.contains(placeholder) else { throw .unknown(placeholder, known: placeholders) }
        values[placeholder] = value.isEmpty ? nil : value
    }

    /// The placeholders that are not filled, in the order of the url.
    public var missing: [String] { placeholders.filter { values[$0] == nil } }

    /// True if every placeholder is filled.
    public var isComplete: Bool { missing.isEmpty }

    /// The path, percent-encoded. A placeholder that is not filled stands for itself.
    public var path: String {
        operation.url.split(separator: "/").map { segment in
            guard segment.hasPrefix(":") else { return "/" + Self.encoded(String(segment)) }
            return "/" + (values[String(segment.dropFirst())].map(Self.encoded) ?? String(segment))
        }.joined()
    }

    /// The address at a server.
    ///
    /// - Throws: ``FoaasPathError/missing(_:)`` and ``FoaasPathError/tooLong(limit:)``.
    public func url(base: URL) throws(FoaasPathError) -> URL {
        guard isComplete else { throw .missing(missing) }
        let path = path
        guard path.utf8.count <= Self.longest, var parts = URLComponents(url: base, resolvingAgainstBaseURL: true)
        else {
            throw .tooLong(limit: Self.longest)
        }
        // The path is encoded already and must not be encoded again.
        parts.percentEncodedPath = parts.percentEncodedPath.trimmingSuffix("/") + path
        guard let url = parts.url else { throw .tooLong(limit: Self.longest) }
        return url
    }

    /// A text as one segment: everything but RFC 3986's unreserved characters is encoded. Dots that would lead to
    /// another folder are, too.
    static func encoded(_ text: String) -> String {
        if text == "." || text == ".." { return text.replacingExactly(".", with: "%2E") }
        return PercentEncoding.encode(text)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
