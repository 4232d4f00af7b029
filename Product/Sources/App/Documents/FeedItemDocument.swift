import AquiferImageFeed
import Foundation

/// An item of the feed, for programs.
public struct FeedItemDocument: Encodable, Sendable {
    let id: String
    @OrNull var description: String?
    @OrNull var location: String?
    let image: String

    /// The document of an item.
    public init(_ item: FeedItem) {
        id = item.id.uuidString
        _description = OrNull(wrappedValue: item.description)
        _location = OrNull(wrappedValue: item.location)
        image = item.address.absoluteString
    }
}
