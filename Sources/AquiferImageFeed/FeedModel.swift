import Aquifer

/// The screen of the feed: its items, what it is doing, its gaps, and its further pages.
public typealias FeedModel = PagedModel<FeedItem>

extension PagedModel where Item == FeedItem {
    /// The screen of a feed.
    public convenience init(_ service: FeedService) {
        self.init(service.pages)
    }
}
