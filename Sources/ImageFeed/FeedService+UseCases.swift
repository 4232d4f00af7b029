import Aquifer
import AquiferFoundation

/// The use cases of the feed's specification, under its names.
///
/// ``FeedService/feed`` is their composition, and what screens load: the remote first, saved; then the cache; then the
/// error.
extension FeedService {
    /// "Load Feed From Remote": downloads, validates and delivers the first page. Nothing is saved.
    ///
    /// - Throws: ``LoadError/invalidData(_:)``, ``LoadError/connectivity(_:)``, or ``LoadError/cancelled``.
    public func loadFeedFromRemote() async throws(LoadError) -> [FeedItem] {
        try await feed.loadFromRemote()
    }

    /// "Load Feed From Cache": delivers the feed saved less than seven days ago. Has no side effects.
    ///
    /// - Returns: `nil`, "no feed images", when nothing is saved or it has expired.
    /// - Throws: ``StoreError``, the "retrieval error", when there is a copy and it cannot be read.
    public func loadFeedFromCache() async throws(StoreError) -> [FeedItem]? {
        try await feed.saved()?.value
    }

    /// "Validate Feed Cache": deletes what has expired or cannot be read.
    ///
    /// - Returns: whether the cache was deleted.
    /// - Throws: ``StoreError`` when it could not be deleted.
    @discardableResult
    public func validateFeedCache() async throws(StoreError) -> Bool {
        try await feed.validateSaved()
    }

    /// "Cache Feed", whose command is "Save Image Feed": replaces the cache, stamped with the time. Deleting the old data
    /// and saving the new is one atomic step: on any error the old data is still there.
    ///
    /// - Returns: the stamp.
    /// - Throws: ``StoreError`` when it could not be encoded, deleted or saved.
    @discardableResult
    public func cacheFeed(_ items: [FeedItem]) async throws(StoreError) -> Date {
        try await feed.save(items)
    }
}
