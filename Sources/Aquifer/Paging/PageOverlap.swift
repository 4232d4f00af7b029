/// The items that a newer page and the older pages at its place have in common, and what they tell about the newer page's end.
struct PageOverlap {
    /// The place of an older item up to which the newer page covers the older pages.
    struct Reached: Equatable {
        let page: Int
        let item: Int
        /// True if the older items after it follow the newer page directly.
        let isDirect: Bool
    }

    /// So many items at the end of a newer page, in their old order, are the evidence that they have stayed where they were.
    private static var enough: Int { 3 }

    /// The items of the newer page.
    let ids: Set<ItemID>
    /// The place up to which the newer page covers the older ones; `nil` if they do not meet, or if it is too uncertain.
    ///
    /// They meet at the last item that both have, unless that has moved up from further down. It has not if the order of items is
    /// fixed. Otherwise the items before it tell:
    /// - The newer page has all older items before it, and the items at its end are in their old order: they have stayed.
    /// - The newer page lacks some. They were deleted, or they are below, and the last item has moved up. The former is likelier if
    ///   at least as many items at the newer page's end are in their old order. The list has a gap then, in case that it was the latter.
    let reached: Reached?

    init(_ new: [ItemID], over old: [[ItemID]], isOrderFixed: Bool) {
        let ids = Set(new)
        self.ids = ids
        // An older copy further down tells nothing: the first place counts.
        var places: [ItemID: (order: Int, page: Int, item: Int)] = [:]
        // The number of older items that the newer page lacks, up to each place.
        var lacking: [Int] = []
        for (page, items) in old.enumerated() {
            for (item, id) in items.enumerated() where places[id] == nil {
                places[id] = (lacking.count, page, item)
                lacking.append((lacking.last ?? 0) + (ids.contains(id) ? 0 : 1))
            }
        }
        guard let index = new.lastIndex(where: { places[$0] != nil }), let last = places[new[index]] else {
            reached = nil
            return
        }
        let lost = lacking[last.order]
        let stayed = Self.ordered(new[...index].compactMap { places[$0]?.order })
        guard isOrderFixed || stayed >= lost else {
            reached = nil
            return
        }
        let isCertain = isOrderFixed || lost == 0 && stayed >= min(Self.enough, new.count - 1)
        reached = Reached(page: last.page, item: last.item, isDirect: isCertain && index == new.count - 1)
    }

    /// The number of places at the end that are in ascending order.
    private static func ordered(_ places: [Int]) -> Int {
        var count = 0
        var next = Int.max
        for place in places.reversed() {
            guard place < next else { break }
            count += 1
            next = place
        }
        return count
    }
}
