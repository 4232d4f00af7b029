import Aquifer
import AquiferFoundation
import Observation

/// The screen of the feed: its items, what it is doing, and its further pages.
@MainActor @Observable
public final class FeedModel {
    /// The state of the end of the list.
    public enum More: Sendable, Hashable {
        /// Ready to load a page when the end is near.
        case idle
        /// A page is being loaded.
        case loading
        /// A page could not be loaded: tap to try again.
        case failed(LoadError)
        /// There is nothing further.
        case end
    }

    /// The list's state, without its further pages.
    public let list: ResourceModel<[FeedItem]>
    /// The end of the list.
    public private(set) var more: More = .idle

    /// The items to show, newest first.
    public var items: [FeedItem] { list.value ?? [] }
    /// True if a load has shown that there are no items at all.
    public var isEmpty: Bool { list.value?.isEmpty == true && !list.isLoading }

    @ObservationIgnored private let loadPage: @Sendable ([FeedItem]) async throws(LoadError) -> Loaded<[FeedItem]>

    /// The screen of a feed.
    public convenience init(_ service: FeedService) {
        self.init(list: ResourceModel(service.feed)) { items async throws(LoadError) in
            try await service.page(after: items)
        }
    }

    /// The screen of a list, with a way to load the page after given items.
    public init(
        list: ResourceModel<[FeedItem]>,
        loadPage: @escaping @Sendable ([FeedItem]) async throws(LoadError) -> Loaded<[FeedItem]>
    ) {
        self.list = list
        self.loadPage = loadPage
    }

    /// The screen is visible: loads, the first time.
    public func appear() async {
        await list.appear()
    }

    /// Loads the latest, unless a load is running.
    public func refresh() async {
        guard !list.isLoading else { return }
        await list.refresh()
        more = .idle
    }

    /// Loads the page after the last item, unless one is being loaded, the list itself is, or the end was reached.
    public func loadMore() async {
        guard !items.isEmpty, more != .loading, more != .end, !list.isLoading else { return }
        more = .loading
        let before = items
        do throws(LoadError) {
            let page = try await loadPage(before)
            // The list was loaded anew meanwhile: this page belongs to the one before.
            guard items == before else { return more = .idle }
            more = page.value.isEmpty ? .end : .idle
            if !page.value.isEmpty { list.replaceValue(before + page.value) }
        } catch {
            more = error == .cancelled ? .idle : .failed(error)
        }
    }

    /// The customer has read what went wrong.
    public func dismissError() {
        list.dismissError()
    }
}
