import AquiferFoundation

/// A user's words about a picture.
public struct ImageComment: Sendable, Hashable, Identifiable, Codable {
    /// The comment's identity.
    public let id: UUID
    /// The words.
    public let message: String
    /// When, to the second or finer.
    public let createdAt: Date
    /// The user name of who said it.
    public let author: String

    /// A comment.
    public init(id: UUID, message: String, createdAt: Date, author: String) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.author = author
    }
}
