import Aquifer
import AquiferFoundation

/// The image feed, composed: its resource, its further pages, its pictures and their comments.
public struct FeedService: Sendable {
    /// The number of items on a page.
    public static let pageSize = 10

    /// The entries that the feature saves.
    public static let entries = [feeds, comments]
    private static let feeds = EntryFamily("feed:", codec: CacheCodec<[FeedItem]>.binary)
    private static let comments = EntryFamily("comments:", codec: CacheCodec<[ImageComment]>.json)

    /// The feed: the first page when it is loaded, and the pages loaded since when it is shown from the cache.
    public let feed: Resource<[FeedItem]>
    /// The pictures.
    public let pictures: DataLoader

    private let base: URL
    private let client: any HTTPClient
    private let store: any CacheStore
    private let retry: RetryPolicy
    private let cache: Cache<[FeedItem]>
    private let now: @Sendable () -> Date

    /// A feed of the server at `base`.
    ///
    /// - Parameters:
    ///   - base: the address of the server.
    ///   - client: carries out the requests.
    ///   - store: keeps the feed and the comments.
    ///   - pictureStore: keeps the pictures; give it a bound.
    ///   - retry: the policy by which a failed load is tried again.
    ///   - now: the clock that stamps and judges.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore, pictureStore: any CacheStore,
        retry: RetryPolicy = .never, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.base = base
        self.client = client
        self.store = store
        self.retry = retry
        self.now = now
        // The server's address is part of the key: another server's copy is not this one's.
        cache = Cache(
            key: Self.feeds.key(HTTPRequest.feedAddress(base).absoluteString), in: store, codec: .binary, now: now)
        feed = Resource(
            remote: RemoteLoader(.feed(base), client: client, retry: retry, map: FeedMapper.map), cache: cache)
        pictures = DataLoader(
            client: client, store: pictureStore, retry: retry, now: now, check: PictureCheck.check)
    }

    /// The items after those given, loaded from the remote, and appended to the saved copy if that still is the list
    /// given. The copy keeps its stamp: a page loaded later does not make the older items look fresher.
    ///
    /// - Returns: the items that are new; none at the end of the feed.
    public func page(after items: [FeedItem]) async throws(LoadError) -> Loaded<[FeedItem]> {
        let request = HTTPRequest.feed(base, after: items.last?.id)
        let page = try await RemoteLoader(request, client: client, retry: retry, map: FeedMapper.map).load()
        let known = Set(items.map(\.id))
        let new = page.filter { !known.contains($0.id) }
        guard !new.isEmpty else { return Loaded([], source: .remote) }
        do throws(StoreError) {
            try await cache.amend { saved in saved.map(\.id) == items.map(\.id) ? saved + new : nil }
            return Loaded(new, source: .remote)
        } catch {
            return Loaded(new, source: .remote, saveError: error)
        }
    }

    /// The comments on a picture: the latest, or those saved less than seven days ago.
    public func comments(on image: UUID) -> Resource<[ImageComment]> {
        let request = HTTPRequest.comments(base, image: image)
        return Resource(
            remote: RemoteLoader(request, client: client, retry: retry, map: CommentsMapper.map),
            cache: Cache(key: Self.comments.key(request.url.absoluteString), in: store, now: now))
    }
}

/// The use cases of the feed's specification, under its names.
///
/// ``FeedService/feed`` is their composition, and what screens load: the remote first, saved; then the cache; then the
/// error.
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

    /// "Cache Feed", whose command is "Save Image Feed": replaces the cache, stamped with the time. Deleting the old data
    /// and saving the new is one atomic step: on any error the old data is still there.
    ///
    /// - Returns: the stamp.
    /// - Throws: `StoreError` when it could not be encoded, deleted or saved.
    @discardableResult
    public func cacheFeed(_ items: [FeedItem]) async throws(StoreError) -> Date {
        try await feed.save(items)
    }
}
