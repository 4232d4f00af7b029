import Observation

/// The screen of a list in pages: its items and gaps, what it is doing, and the state of its end. From its first appearance on it
/// follows ``PagedResource/updates``, as a ``ResourceModel`` does.
///
/// ```swift
/// let model = PagedModel(articles)
/// await model.appear()      // the saved pages at once, and then the latest
/// await model.loadMore()    // near the end
/// ```
@MainActor @Observable
public final class PagedModel<Item: Sendable> {
    /// The state of the end of the list, or of a gap.
    public enum More: Sendable, Hashable {
        /// Ready to load a page when the end is near, or when the user asks for it.
        case idle
        /// A page is being loaded.
        case loading
        /// A page could not be loaded: tap to try again.
        case failed(LoadError)
        /// There is nothing further.
        case end
    }

    /// The list's state, and that of the load of its first page.
    public let list: ResourceModel<PagedList<Item>>
    /// The end of the list.
    public var more: More {
        if case .idle = ending { return list.value?.isComplete == true && !isEmpty ? .end : .idle }
        return ending
    }

    /// The items from the first to the first gap. ``pages`` has those after the gap, too.
    public var items: [Item] { list.value?.items ?? [] }
    /// The pages to show, each with the gap before it.
    public var pages: [PagedList<Item>.Page] { list.value?.pages ?? [] }
    /// True if a load has shown that there are no items at all.
    public var isEmpty: Bool {
        // Not `allItems`, which is a new list each time.
        pages.allSatisfy(\.items.isEmpty) && list.value?.isComplete == true && !list.isLoading
    }

    private var ending = More.idle
    private var filling: [PageGap.ID: More] = [:]
    @ObservationIgnored private let resource: PagedResource<Item>

    /// The screen of a list.
    public init(_ resource: PagedResource<Item>) {
        self.resource = resource
        list = ResourceModel(
            ResourceModel.Loading(
                load: { () async throws(LoadError) in try await resource.load() },
                reload: { () async throws(LoadError) in try await resource.reload() },
                saved: { () async throws(StoreError) in try await resource.saved() },
                isFresh: { resource.isFresh($0) }, fallback: resource.fallback, updates: resource.updates))
    }

    /// The state of a gap: idle, loading, or failed.
    public func state(of gap: PageGap) -> More { filling[gap.id] ?? .idle }

    /// The screen is visible: loads, the first time, and after a loss: see ``ResourceModel/appear()``.
    public func appear() async {
        await list.appear()
    }

    /// Loads the latest, unless a load is running. The pages that still join stay, and those that could not be loaded before can be
    /// asked for again.
    public func refresh() async {
        guard !list.isLoading else { return await list.refresh() }
        // A failure during the load is news, and stays.
        if case .failed = ending { ending = .idle }
        filling = filling.filter { $0.value == .loading }
        await list.refresh()
    }

    /// Loads the page after the last item, unless one is being loaded or the end was reached. If the list itself is being loaded,
    /// it waits for that first.
    public func loadMore() async {
        guard hasMore else { return }
        ending = .loading
        await list.turn.end()
        ending = .idle
        guard hasMore else { return }
        ending = .loading
        do throws(LoadError) {
            _ = try await resource.loadMore()
            list.catchUp()
            ending = .idle
        } catch {
            if error.isEnd { list.catchUp() }
            ending = error == .cancelled ? .idle : .failed(error)
        }
    }

    /// True if there is a page to load after the last item, and nobody loads it.
    private var hasMore: Bool {
        guard let value = list.value, more != .loading, more != .end else { return false }
        return !value.isComplete || !value.allItems.isEmpty
    }

    /// Loads a page into a gap, unless one is being loaded there. If the list itself is being loaded, it waits for that first.
    public func fill(_ gap: PageGap) async {
        guard state(of: gap) != .loading else { return }
        filling[gap.id] = .loading
        await list.turn.end()
        guard list.value?.gaps.contains(gap) == true else { return filling[gap.id] = nil }
        do throws(LoadError) {
            _ = try await resource.fill(gap)
            list.catchUp()
            filling[gap.id] = nil
        } catch {
            if error.isEnd { list.catchUp() }
            filling[gap.id] = error == .cancelled ? nil : .failed(error)
        }
    }

    /// The user has read what went wrong.
    public func dismissError() {
        list.dismissError()
    }
}
