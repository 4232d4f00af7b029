import AquiferFoundation

/// The identity of an item, of any type.
struct ItemID: Hashable, @unchecked Sendable {
    // It is made of a `Sendable` value only.
    private let base: AnyHashable

    init<ID: Hashable & Sendable>(_ id: ID) { base = AnyHashable(id) }
}

/// A record with the entry that it was read from or will be saved as.
struct PageEntry<Item: Sendable>: Sendable {
    /// The name of the entry; `nil` for the first page.
    var name: String?
    var record: PageRecord<Item>
    /// The dates of the answer.
    var origin: StoredEntry.Origin?
    /// The date when it was saved; `nil` if it could not be saved.
    var savedAt: Date?
    /// The reason why it could not be saved.
    var saveError: StoreError?
    /// True if a load has saved it.
    var isAnswer = false
    /// The mark of an invalidation that nobody has answered.
    var mark: Date?
    /// True if the remote denied it.
    var isDenied = false
    /// The facts of the entry; `nil` if it was not read.
    var facts: PageFacts?

    /// The date that decides which of two copies of an item is newer: that of the request.
    var askedAt: Date { origin?.sentAt ?? savedAt ?? .distantFuture }
}

/// Puts pages together, one after another. It is the only place that decides what a list shows: no item twice, and a gap
/// wherever two pages do not join.
struct PageAssembly<Item: Sendable>: Sendable {
    /// The place at which the next page belongs.
    struct End: Sendable, Equatable {
        var link: String
        var position: String
    }

    let joining: NextPage<Item>.Joining
    let identify: @Sendable (Item) -> ItemID
    private(set) var list = PagedList<Item>()
    /// The place after the last page; `nil` at the end of the list.
    private(set) var end: End?
    /// The names of the entries that are part of the list.
    private(set) var names: Set<StoreKey> = []
    /// The first page's entry.
    private(set) var first: PageEntry<Item>?
    /// The facts of the pages so far, shown or not.
    private(set) var fingerprint = EntryFingerprint.empty
    /// The facts of the pages before the first one that could not be saved.
    private(set) var savedFingerprint = EntryFingerprint.empty
    /// The pages that could not be saved, by their names; that of the first page is empty.
    private(set) var unsaved: [StoreKey: PageEntry<Item>] = [:]
    /// The reason why one of them could not be saved.
    private(set) var saveError: StoreError?
    var hasUnsaved: Bool { !unsaved.isEmpty }

    /// A page as it was read.
    struct Known: Sendable, Equatable {
        let facts: PageFacts
        let isShown: Bool
    }

    /// The pages as they were read, in their order; `nil` if one was not, or could not be.
    private(set) var known: [Known]? = []
    /// That of the list, known without a look at each page.
    private(set) var oldest: Date?
    private var askedAt: [Date] = []
    private var pageOf: [ItemID: Int] = [:]
    /// The gap that the next page with items will show.
    private var gap: PageGap?

    init(joining: NextPage<Item>.Joining, identify: @escaping @Sendable (Item) -> ItemID) {
        self.joining = joining
        self.identify = identify
    }

    /// Appends a page.
    ///
    /// - Parameter isShown: false if it has expired: it leaves a gap.
    mutating func append(_ entry: PageEntry<Item>, isShown: Bool = true) {
        let record = entry.record
        if first == nil { first = entry }
        if let name = entry.name { names.insert(StoreKey(name)) }
        note(entry, isShown)
        if let facts = entry.facts { known?.append(Known(facts: facts, isShown: isShown)) } else { known = nil }
        let place = end
        var follows = record.followsGap || !isShown
        let items = isShown ? joined(entry, &follows) : []
        if follows, gap == nil, let place {
            gap = PageGap(id: place.link, position: position(for: entry, after: place))
        }
        if !items.isEmpty || list.pages.isEmpty {
            list.pages.append(PagedList.Page(items: items, savedAt: entry.savedAt, gap: gap))
            askedAt.append(entry.askedAt)
            if let savedAt = entry.savedAt { oldest = min(oldest ?? savedAt, savedAt) }
            for item in items { pageOf[identify(item)] = list.pages.count - 1 }
            gap = nil
        }
        finish(record)
    }

    /// The list ends here, because the next page cannot be read.
    mutating func stop(because error: StoreError) {
        list.readError = error
        known = nil
        fingerprint.checksum = ~fingerprint.checksum
        if !hasUnsaved { savedFingerprint = fingerprint }
    }

    /// Each save of a page gives it another stamp.
    private mutating func note(_ entry: PageEntry<Item>, _ isShown: Bool) {
        if fingerprint.size == 0 { fingerprint.savedAt = entry.savedAt ?? .distantPast }
        fingerprint.size += 1
        var hasher = Hasher()
        hasher.combine(fingerprint.checksum)
        hasher.combine(entry.name)
        hasher.combine(entry.savedAt)
        hasher.combine(entry.record.link)
        hasher.combine(isShown)
        for item in entry.record.items { hasher.combine(identify(item)) }
        fingerprint.checksum = UInt64(bitPattern: Int64(hasher.finalize()))
        if fingerprint.size == 1 {
            fingerprint.isDenied = entry.isDenied
            fingerprint.beginning = .init(savedAt: fingerprint.savedAt, checksum: fingerprint.checksum)
        }
        if entry.savedAt == nil {
            unsaved[StoreKey(entry.name ?? "")] = entry
            saveError = saveError ?? entry.saveError
        }
        if !hasUnsaved { savedFingerprint = fingerprint }
    }

    private mutating func finish(_ record: PageRecord<Item>) {
        if let gap {
            // Nothing is shown behind the gap: it is the end of what is known.
            end = End(link: gap.id, position: gap.position)
            list.isComplete = false
        } else if let next = record.next, !names.contains(StoreKey(record.link)) {
            end = End(link: record.link, position: position(after: next))
            list.isComplete = false
        } else {
            end = nil
            list.isComplete = true
        }
    }

    /// The items of a page that are shown. Older copies of them leave the pages before.
    private mutating func joined(_ entry: PageEntry<Item>, _ follows: inout Bool) -> [Item] {
        if joining == .overlap, end != nil { overlap(entry, &follows) }
        var shown: [Item] = []
        var ownIDs: Set<ItemID> = []
        // A page may have every item of another one: each is looked through once.
        var older: Set<Int> = []
        for item in entry.record.items {
            let id = identify(item)
            guard ownIDs.insert(id).inserted else { continue }
            if let page = pageOf[id] {
                guard askedAt[page] < entry.askedAt else { continue }
                older.insert(page)
            }
            shown.append(item)
        }
        for page in older { list.pages[page].items.removeAll { ownIDs.contains(identify($0)) } }
        return shown
    }

    /// Finds out whether a page begins with the last item before it. A newer page replaces what it overlaps.
    private mutating func overlap(_ entry: PageEntry<Item>, _ follows: inout Bool) {
        guard let start = entry.record.items.first.map(identify), let page = pageOf[start] else {
            return follows = true
        }
        if askedAt[page] >= entry.askedAt {
            let last = list.pages.last { !$0.items.isEmpty }?.items.last
            guard last.map(identify) == start else { return follows = true }
            (follows, gap) = (false, nil)
            return
        }
        (follows, gap) = (false, nil)
        let cut = list.pages[page].items.firstIndex { identify($0) == start } ?? 0
        let removed = list.pages[page].items[cut...] + list.pages[(page + 1)...].flatMap(\.items)
        for item in removed { pageOf[identify(item)] = nil }
        list.pages[page].items.removeSubrange(cut...)
        list.pages.removeSubrange((page + 1)...)
        askedAt.removeSubrange((page + 1)...)
        oldest = list.oldest
    }

    /// The position after the last page. The number of items tells it better than an offset of an older answer.
    private func position(after next: String) -> String {
        guard joining == .overlap, list.pages.allSatisfy({ $0.gap == nil }) else { return next }
        return "\(list.pages.reduce(-1) { $0 + $1.items.count })"
    }

    /// The position to ask for, to close the gap before a page.
    private func position(for entry: PageEntry<Item>, after place: End) -> String {
        let newest = askedAt.last ?? .distantPast
        guard joining == .overlap, entry.askedAt > newest, let start = entry.record.start.flatMap({ Int($0) }) else {
            return place.position
        }
        // The list has become shorter: the items that this newer page misses stand before it.
        let step = max(entry.record.items.count, list.pages.last?.items.count ?? 0) - 1
        return "\(max(0, start - max(1, step)))"
    }
}
