import Aquifer
import AquiferFoundation

/// The beginning of the feed as one list, for what shows no gaps: the newest page from the remote, or all saved items up to
/// the first gap.
public struct NewestItems: Sendable {
    let pages: PagedResource<FeedItem>

    /// The newest page, saved; without a valid answer, the saved items. See `Resource.load()`.
    public func load() async throws(LoadError) -> Loaded<[FeedItem]> {
        let page = try await pages.loadFirst()
        // Pages that cannot be read hide nothing: the first page has come.
        guard case .cache(_, let error) = page.source, let whole = try? await saved(), let savedAt = whole.savedAt
        else { return page }
        return Loaded(whole.value, source: .cache(savedAt: savedAt, because: error), savedAt: savedAt)
    }

    /// The saved items up to the first gap, with the age of the oldest page; `nil` if none are saved or the first page has
    /// expired.
    ///
    /// - Throws: `StoreError` when there is a copy and it cannot be read.
    public func saved() async throws(StoreError) -> Loaded<[FeedItem]>? {
        try await pages.saved().map { Self.beginning(of: $0.value) }
    }

    /// The saved items up to the first gap, of a list that was just read.
    package static func beginning(of list: PagedList<FeedItem>) -> Loaded<[FeedItem]> {
        let savedAt = list.pages.prefix { $0.gap == nil }.compactMap { $0.savedAt }.min() ?? .distantPast
        return Loaded(list.items, source: .cache(savedAt: savedAt, because: nil), savedAt: savedAt)
    }

    /// The newest page from the remote. The saved copy is neither read nor changed.
    public func loadFromRemote() async throws(LoadError) -> [FeedItem] {
        try await pages.page(at: nil).value
    }

    /// Deletes the saved pages that have expired or cannot be read. Returns true if one was deleted.
    @discardableResult
    public func validateSaved() async throws(StoreError) -> Bool {
        try await pages.validateSaved()
    }

    /// Replaces the saved beginning of the feed, with the current date, in one atomic step. Returns the date that was saved.
    @discardableResult
    public func save(_ items: [FeedItem]) async throws(StoreError) -> Date {
        try await pages.save(items)
    }
}
