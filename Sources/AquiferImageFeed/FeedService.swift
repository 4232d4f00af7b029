import Aquifer
import AquiferFoundation

/// The image feed, composed: its pages, its pictures and their comments.
public struct FeedService: Sendable {
    /// The number of items on a page.
    public static let pageSize = 10

    /// The entries that the feature saves.
    public static let entries = [feeds, comments]
    private static let feeds = EntryFamily("feed:", pages: CacheCodec<[FeedItem]>.binary)
    private static let comments = EntryFamily("comments:", codec: CacheCodec<[ImageComment]>.json)

    /// The feed with all its pages.
    public let pages: PagedResource<FeedItem>
    /// The pictures.
    public let pictures: DataLoader

    private let base: URL
    private let client: any HTTPClient
    private let store: any CacheStore
    private let retry: RetryPolicy
    private let policy: CachePolicy
    private let now: @Sendable () -> Date
    private let events: (any AquiferEvents)?

    /// A feed of the server at `base`.
    ///
    /// - Parameters:
    ///   - base: the address of the server.
    ///   - client: carries out the requests.
    ///   - store: keeps the feed and the comments.
    ///   - pictureStore: keeps the pictures; give it a bound.
    ///   - retry: the policy by which a failed load is tried again.
    ///   - patience: the time after which a load delivers the saved copy while the server has not answered; `nil` waits.
    ///   - now: the clock for dates and ages.
    ///   - events: told what the engine does; `nil` if nobody listens.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore, pictureStore: any CacheStore,
        retry: RetryPolicy = .never, patience: Duration? = nil, now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil
    ) {
        self.base = base
        self.client = client
        self.store = store
        self.retry = retry
        policy = CachePolicy(patience: patience)
        self.now = now
        self.events = events
        // The server's address is part of the key: another server's copy is not this one's.
        pages = PagedResource(
            key: Self.feeds.key(HTTPRequest.feedAddress(base).absoluteString), in: store, first: .feed(base),
            next: .after("after_id") { $0.id.uuidString }, client: client, codec: .binary, policy: policy, retry: retry,
            now: now, events: events, map: FeedMapper.map)
        pictures = DataLoader(
            client: client, store: pictureStore, retry: retry, now: now, events: events, check: PictureCheck.check)
    }

    /// The feed as one list, without what follows a gap.
    public var feed: NewestItems { NewestItems(pages: pages) }

    /// The items after those given, loaded from the remote. They are saved if a saved page ends where they begin, with an
    /// age of their own: a page loaded later does not make the older items look fresher.
    ///
    /// - Returns: the items that are new; none at the end of the feed.
    public func page(after items: [FeedItem]) async throws(LoadError) -> Loaded<[FeedItem]> {
        let page = try await pages.page(at: items.last?.id.uuidString)
        let known = Set(items.map(\.id))
        let new = page.value.filter { !known.contains($0.id) }
        return new.isEmpty ? Loaded([], source: .remote) : page.map { _ in new }
    }

    /// The comments on a picture: the latest, or those saved less than seven days ago.
    public func comments(on image: UUID) -> Resource<[ImageComment]> {
        let request = HTTPRequest.comments(base, image: image)
        return Resource(
            remote: RemoteLoader(request, client: client, retry: retry, map: CommentsMapper.map),
            cache: Cache(
                key: Self.comments.key(request.url.absoluteString), in: store, policy: policy, now: now, events: events)
        )
    }
}

/// The use cases of the feed's specification, under its names.
///
/// ``FeedService/feed`` is their composition: the remote first, saved; then the cache; then the error.
extension FeedService {
    /// "Load Feed From Remote": downloads, validates and delivers the first page. Nothing is saved.
    ///
    /// - Throws: `LoadError.invalidData(_:)`, `LoadError.connectivity(_:)`, or `LoadError.cancelled`.
    public func loadFeedFromRemote() async throws(LoadError) -> [FeedItem] {
        try await feed.loadFromRemote()
    }

    /// "Load Feed From Cache": delivers the feed saved less than seven days ago. Has no side effects.
    ///
    /// - Returns: `nil`, "no feed images", when nothing is saved or it has expired.
    /// - Throws: `StoreError`, the "retrieval error", when there is a copy and it cannot be read.
    public func loadFeedFromCache() async throws(StoreError) -> [FeedItem]? {
        try await feed.saved()?.value
    }

    /// "Validate Feed Cache": deletes what has expired or cannot be read.
    ///
    /// - Returns: whether the cache was deleted.
    /// - Throws: `StoreError` when it could not be deleted.
    @discardableResult
    public func validateFeedCache() async throws(StoreError) -> Bool {
        try await feed.validateSaved()
    }

    /// "Cache Feed", whose command is "Save Image Feed": replaces the cache, with the current date. Deleting the old data
    /// and saving the new is one atomic step: on any error the old data is still there.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: `StoreError` when it could not be encoded, deleted or saved.
    @discardableResult
    public func cacheFeed(_ items: [FeedItem]) async throws(StoreError) -> Date {
        try await feed.save(items)
    }
}
