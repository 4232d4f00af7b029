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
    // The extension of the contract: each is left out unless the remote tells it.
    let author: Author?
    let createdAt: Date?
    let commentCount: Int?
    let width: Int?
    let height: Int?

    /// The document of an item.
    public init(_ item: FeedItem) {
        id = item.id.uuidString
        _description = OrNull(wrappedValue: item.description)
        _location = OrNull(wrappedValue: item.location)
        image = item.address.absoluteString
        author = item.author.map(Author.init)
        createdAt = item.createdAt
        commentCount = item.commentCount
        width = item.size?.width
        height = item.size?.height
    }
}
