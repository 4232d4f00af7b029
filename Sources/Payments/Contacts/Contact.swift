import Aquifer
import AquiferFoundation

/// A person money can be sent to.
public struct Contact: Sendable, Hashable, Identifiable, Codable {
    /// The remote's identifier of the person.
    public let id: Int
    /// The full name.
    public let name: String
    /// The address of the person's picture: `http` or `https`.
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

    /// The first letters of the first and the last name, to show in place of a missing picture. `?` if there is no
    /// name.
    public var initials: String {
        let words = name.split(separator: " ").compactMap(\.first)
        guard let first = words.first else { return "?" }
        return (words.count > 1 ? "\(first)\(words[words.count - 1])" : "\(first)").uppercased()
    }

    /// True if the name or the user name contains a text. The comparison ignores case and accents: "marcia" finds
    /// Márcia.
    public func matches(_ query: String) -> Bool {
        SearchText(query).isIn(name, username)
    }
}
