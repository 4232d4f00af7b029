import Aquifer
import Foundation

/// Someone money can be sent to.
public struct Contact: Sendable, Hashable, Identifiable, Codable {
    /// The remote's number of the person.
    public let id: Int
    /// The full name.
    public let name: String
    /// Where the person's picture is: `http` or `https`.
    public let imageURL: URL
    /// The user name, with its `@`.
    public let username: String

    /// A contact.
    public init(id: Int, name: String, imageURL: URL, username: String) {
        self.id = id
        self.name = name
        self.imageURL = imageURL
        self.username = username
    }

    /// The first letters of the first and the last name, for where there is no picture.
    public var initials: String {
        let words = name.split(separator: " ").compactMap(\.first)
        guard let first = words.first else { return "?" }
        return (words.count > 1 ? "\(first)\(words[words.count - 1])" : "\(first)").uppercased()
    }

    /// Whether the name or the user name contains a text, whatever its case and accents: "marcia" finds Márcia.
    public func matches(_ query: String) -> Bool {
        SearchText(query).isIn(name, username)
    }
}
