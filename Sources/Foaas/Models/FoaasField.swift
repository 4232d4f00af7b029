import AquiferFoundation

/// A field of an operation: `{"name":"From","field":"from"}`.
public struct FoaasField: Sendable, Hashable, Codable, JSONConvertible, CustomStringConvertible {
    /// The name that people read.
    public let name: String
    /// The placeholder in the operation's url, without its colon.
    public let field: String

    /// A field.
    public init(name: String, field: String) {
        self.name = name
        self.field = field
    }

    /// The field of an answer; `nil` when it does not name its placeholder.
    ///
    /// One field of the real server has no `name`. It is named after its placeholder, so that its operation can be used.
    public init?(json: [String: AnyObject]) {
        guard let field = json["field"] as? String, !field.isEmpty else { return nil }
        let name = json["name"] as? String ?? ""
        self.init(name: name.isEmpty ? Self.name(of: field) : name, field: field)
    }

    /// The field in the remote's field names.
    public func toJson() -> [String: AnyObject] {
        ["name": name as AnyObject, "field": field as AnyObject]
    }

    /// The name; the placeholder in parentheses if it is another word.
    public var description: String { name.lowercased() == field.lowercased() ? name : "\(name) (\(field))" }

    /// "from" → "From".
    static func name(of placeholder: String) -> String { placeholder.prefix(1).uppercased() + placeholder.dropFirst() }
}
