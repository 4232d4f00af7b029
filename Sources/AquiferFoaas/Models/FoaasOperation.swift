import Aquifer
import AquiferFoundation

/// A kind of phrase that the remote can say: `{"name":"Awesome","url":"/awesome/:from","fields":[…]}`.
public struct FoaasOperation: Sendable, Hashable, Codable, Identifiable, JSONConvertible, DataConvertible {
    /// The name that people read.
    public let name: String
    /// The path, with a placeholder (`:from`) for each segment that is to be filled in.
    public let url: String
    /// The fields, as the remote lists them. Their order may differ from that of the placeholders.
    public let fields: [FoaasField]

    /// The path: no two operations share one.
    public var id: String { url }

    /// An operation.
    public init(name: String, url: String, fields: [FoaasField]) {
        self.name = name
        self.url = url
        self.fields = fields
    }

    /// The most fields that an operation may have.
    static let mostFields = 1_000

    /// The operation of an answer; `nil` when it has no name, when its url is no path or too long to be sent, when it has
    /// more than a thousand fields, or when a field cannot be read.
    public init?(json: [String: AnyObject]) {
        guard let name = json["name"] as? String, !name.isEmpty,
            let url = json["url"] as? String, url.utf8.count <= FoaasPathBuilder.longest, Self.isPath(url),
            // Looking up the placeholders takes the product of both: a hostile list must not take for ever.
            let written = json["fields"] as? [[String: AnyObject]], written.count <= Self.mostFields
        else { return nil }
        let fields = written.compactMap(FoaasField.init(json:))
        guard fields.count == written.count else { return nil }
        self.init(name: name, url: url, fields: fields)
    }

    /// The operation in the remote's field names.
    public func toJson() -> [String: AnyObject] {
        ["name": name as AnyObject, "url": url as AnyObject, "fields": fields.map { $0.toJson() } as AnyObject]
    }

    /// The names of the placeholders, in the order of the url: the one order that fills the path.
    public var placeholders: [String] {
        url.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
            .reduce(into: []) { found, name in if !found.contains(name) { found.append(name) } }
    }

    /// The name that people read for a placeholder: that of its field; the placeholder with a capital if no field has
    /// it.
    public func name(of placeholder: String) -> String {
        fields.first { $0.field == placeholder }?.name ?? FoaasField.name(of: placeholder)
    }

    /// True if the name, the path or a field's name contains a text. Case and accents do not count.
    public func matches(_ query: String) -> Bool {
        SearchText(query).isIn([name, url] + fields.map(\.name))
    }

    /// A slash, then segments that are not empty: words, or a colon and a name.
    private static func isPath(_ url: String) -> Bool {
        guard url.hasPrefix("/"), url.count > 1 else { return false }
        return url.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0 != ":"
        }
    }
}
