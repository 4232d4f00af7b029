import AquiferImageFeed
import Foundation

/// An item of the feed, for programs.
public struct FeedItemDocument: Encodable, Sendable {
    /// The author of a picture.
    struct Author: Encodable {
        let username: String
    }

    let id: String
    @OrNull var description: String?
    @OrNull var location: String?
    let image: String
    @OrNull var author: Author?
    @OrNull var createdAt: Date?
    @OrNull var commentCount: Int?
    @OrNull var width: Int?
    @OrNull var height: Int?

    /// The document of an item.
    public init(_ item: FeedItem) {
        id = item.id.uuidString
        _description = OrNull(wrappedValue: item.description)
        _location = OrNull(wrappedValue: item.location)
        image = item.image.absoluteString
        _author = OrNull(wrappedValue: item.author.map(Author.init))
        _createdAt = OrNull(wrappedValue: item.createdAt)
        _commentCount = OrNull(wrappedValue: item.commentCount)
        _width = OrNull(wrappedValue: item.size?.width)
        _height = OrNull(wrappedValue: item.size?.height)
    }
}
