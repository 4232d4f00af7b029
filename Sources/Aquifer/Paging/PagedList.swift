import AquiferFoundation

/// A long list as far as it is known: its pages in order, and the gaps between them.
///
/// Two items that stand next to each other without a gap were neighbours on the server when it answered. Where the list
/// cannot tell, it has a gap, and does not pretend.
///
/// ```swift
/// for page in list.pages {
///     if let gap = page.gap { print("… \(gap.id)") }
///     for item in page.items { print(item) }
/// }
/// ```
public struct PagedList<Item: Sendable>: Sendable {
    /// A part of a list: the items of one answer that are still shown.
    public struct Page: Sendable {
        /// The items, in the server's order. A page may be empty, because newer pages have its items.
        public internal(set) var items: [Item]
        /// The date when this page was saved; `nil` if it could not be saved.
        public let savedAt: Date?
        /// The gap before this page; `nil` if the page follows the one before without a gap.
        public let gap: PageGap?
    }

    /// The pages, the first page of the list first.
    public internal(set) var pages: [Page] = []
    /// True if the last page is the end of the list; false if there may be more.
    public internal(set) var isComplete = false
    /// The error of reading a saved page, at whose place this list ends; `nil` if all saved pages could be read.
    public internal(set) var readError: StoreError?

    /// The items from the beginning to the first gap. Between two of them, none is missing.
    public var items: [Item] {
        // One page is handed on as it is.
        pages.count == 1 && pages[0].gap == nil
            ? pages[0].items : Array(pages.prefix { $0.gap == nil }.flatMap { $0.items })
    }

    /// All items, from before and after the gaps. Show ``pages`` instead if you show gaps.
    public var allItems: [Item] { pages.flatMap { $0.items } }

    /// The gaps, in the order of the list.
    public var gaps: [PageGap] { pages.compactMap { $0.gap } }

    /// The date at which the oldest page that is shown was saved; `nil` if there is none.
    public var oldest: Date? {
        // Lazy collections take longer than a loop: their types are made at each call.
        var oldest: Date?
        for page in pages {
            guard let savedAt = page.savedAt else { continue }
            if let found = oldest, !(savedAt < found) { continue }
            oldest = savedAt
        }
        return oldest
    }
}

extension PagedList.Page: Equatable where Item: Equatable {}
extension PagedList: Equatable where Item: Equatable {}

/// A place in a list where items may be missing. ``PagedResource/fill(_:)`` loads them.
public struct PageGap: Sendable, Hashable, Identifiable {
    /// The name of the place, which stays while the list before it stays.
    public let id: String
    /// The position of the page that closes the gap, or makes it smaller.
    let position: String
}
