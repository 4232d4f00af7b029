import AquiferFoundation

/// What becomes of older pages when a newer one takes the place where they begin.
///
/// What the older pages know beyond the newer page's end follows it, after a gap if it is not certain that it follows directly. An
/// older item inside the newer page's interval that the newer page does not have was deleted, or the newer page's last item has
/// moved up over it: two answers cannot tell. So it does not disappear without a gap, unless both pages end at one position, or the server
/// never changes the order of two items (``NextPage/inFixedOrder()``).
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
    ///   - isOrderFixed: true if two items never change their order on the server.
    init(
        _ new: PageRecord<Item>, over old: [PageEntry<Item>], joining: NextPage<Item>.Joining,
        isOrderFixed: Bool = false, identify: (Item) -> ItemID
    ) {
        isOverNothing = old.isEmpty
        guard !old.isEmpty else { return }
        guard let next = new.next else {
            // The newer page is the last one.
            dropped = old.dropFirst().compactMap(\.name)
            return
        }
        // A position stands for a place: what follows it still does.
        if joining == .ends, let end = old.firstIndex(where: { $0.record.next == next }) {
            dropped = old[...end].dropFirst().compactMap(\.name)
            return
        }
        let overlap = PageOverlap(
            new.items.map(identify), over: old.map { $0.record.items.map(identify) }, isOrderFixed: isOrderFixed)
        let reached = overlap.reached
        let page = reached?.page ?? 0
        var entry = old[page]
        if let reached {
            entry.record.items.removeSubrange(...reached.item)
            entry.record.followsGap = !reached.isDirect
            // The item at which both meet stays as the evidence.
            if joining == .overlap, reached.isDirect, let last = new.items.last {
                entry.record.items.insert(last, at: 0)
            }
            dropped = old[...page].dropFirst().compactMap(\.name)
        } else {
            entry.record.items = entry.record.items.filter { !overlap.ids.contains(identify($0)) }
            entry.record.followsGap = true
        }
        // Behind this page nothing is known: there is no other side of a gap.
        if entry.record.followsGap, entry.record.items.isEmpty, page == old.count - 1 { return }
        entry.name = new.link
        entry.record.start = next
        rest = entry
    }
}
