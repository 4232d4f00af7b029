import AquiferFoundation

/// A phrase, as an operation answers it: `{"message":"This is awesome.","subtitle":"- louis"}`.
public struct Foaas: Sendable, Hashable, Codable, JSONConvertible, CustomStringConvertible {
    /// The text of the phrase.
    public let message: String
    /// The speaker, usually after a dash.
    public let subtitle: String

    /// A phrase.
    public init(message: String, subtitle: String) {
        self.message = message
        self.subtitle = subtitle
    }

    /// The phrase of an answer; `nil` unless both texts are there.
    public init?(json: [String: AnyObject]) {
        guard let message = json["message"] as? String, let subtitle = json["subtitle"] as? String else { return nil }
        self.init(message: message, subtitle: subtitle)
    }

    /// The phrase in the remote's field names.
    public func toJson() -> [String: AnyObject] {
        ["message": message as AnyObject, "subtitle": subtitle as AnyObject]
    }

    /// Both texts, as they are shared and copied.
    public var description: String { subtitle.isEmpty ? message : "\(message)\n\(subtitle)" }
}
