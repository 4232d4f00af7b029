import AquiferFoundation

/// What becomes of older pages when a newer one takes the place where they begin.
///
/// The newer page is the truth for its interval: items that it does not have are gone. What the older pages know beyond
/// its end follows it, after a gap if they do not reach it.
struct PageSplice<Item: Sendable>: Sendable {
    /// The rest of the older pages, to be saved before the newer page; `nil` if there is none, or if it is saved already.
    private(set) var rest: PageEntry<Item>?
    /// The names of the entries that are no longer part of the list once the newer page is saved.
    private(set) var dropped: [String] = []

    /// True if no page was saved at the newer page's place.
    let isOverNothing: Bool

    /// Compares a newer page with the older ones.
    ///
    /// - Parameters:
    ///   - new: the newer page.
    ///   - old: the saved pages from the newer page's place to the end of the list, shown or not.
    init(
        _ new: PageRecord<Item>, over old: [PageEntry<Item>], joining: NextPage<Item>.Joining,
        identify: (Item) -> ItemID
    ) {
        isOverNothing = old.isEmpty
        guard let first = old.first else { return }
        guard let next = new.next else {
            // The newer page is the last one.
            dropped = old.dropFirst().compactMap(\.name)
            return
        }
        if joining == .ends, let end = old.firstIndex(where: { $0.record.next == next }) {
            dropped = old[...end].dropFirst().compactMap(\.name)
            return
        }
        let ids = new.items.map(identify)
        let reached = Self.reach(of: ids, in: old, identify)
        let page = reached?.page ?? 0
        var entry = old[page]
        if let reached {
            entry.record.items.removeSubrange(...reached.item)
            entry.record.followsGap = !reached.isLast
            // The item at which both meet stays as the evidence.
            if joining == .overlap, reached.isLast, let last = new.items.last {
                entry.record.items.insert(last, at: 0)
            }
            dropped = old[...page].dropFirst().compactMap(\.name)
        } else {
            let known = Set(ids)
            entry.record.items = first.record.items.filter { !known.contains(identify($0)) }
            entry.record.followsGap = true
        }
        // Behind this page nothing is known: there is no other side of a gap.
        if entry.record.followsGap, entry.record.items.isEmpty, page == old.count - 1 { return }
        entry.name = new.link
        entry.record.start = next
        rest = entry
    }

    /// The place up to which the newer page covers the older ones: that of the last item that both have. `isLast` tells that
    /// it is the newer page's last item, so that the older items after it follow directly.
    ///
    /// It is `nil` if they have no item in common, or if that item may have moved up from further down. It has not if the
    /// newer page has all older items before it, or if the item before it is the same in both.
    private static func reach(
        of ids: [ItemID], in old: [PageEntry<Item>], _ identify: (Item) -> ItemID
    ) -> (page: Int, item: Int, isLast: Bool)? {
        let all = Set(old.flatMap { $0.record.items.map(identify) })
        guard let index = ids.lastIndex(where: all.contains) else { return nil }
        let last = ids[index]
        let previous = index > 0 ? ids[index - 1] : nil
        let known = Set(ids)
        var isWhole = true
        var before: ItemID?
        for (page, entry) in old.enumerated() {
            for (item, id) in entry.record.items.map(identify).enumerated() {
                if id == last {
                    let hasStayed = isWhole || (before != nil && before == previous)
                    return hasStayed ? (page, item, index == ids.count - 1) : nil
                }
                if known.contains(id) { before = id } else { isWhole = false }
            }
        }
        return nil
    }
}
