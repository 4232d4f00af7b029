import AquiferFoundation

/// The facts of a page's entry when it was read. A list of the same entries is the same list.
struct PageFacts: Sendable, Equatable {
    /// The name of the entry; `nil` for the first page.
    let name: String?
    private let fingerprint: EntryFingerprint
    private let origin: StoredEntry.Origin?
    private let mark: Date?
    /// The name of the entry that follows; `nil` at the end of the list.
    let following: String?

    init(name: String?, _ entry: StoredEntry, following: String?) {
        self.name = name
        self.following = following
        fingerprint = EntryFingerprint(entry)
        origin = entry.origin
        mark = entry.asking.mark
    }
}

extension PagePlace {
    /// True if the entries of a list are as they were, and it would be put together again as it is.
    ///
    /// False if an entry cannot be read: the list is then read anew, and tells why.
    func isUnchanged(_ list: [PageAssembly<Item>.Known]) async -> Bool {
        var keys = list.map { key(of: $0.facts.name) }
        // The page after the last one may have been saved since.
        if let next = list.last?.facts.following, !list.contains(where: { $0.facts.name == next }) {
            keys.append(key(of: next))
        }
        // The first page changes most often. A long list is not read at once.
        var start = 0
        while start < keys.count {
            let places = start..<min(start + (start == 0 ? 2 : Self.readAtOnce), keys.count)
            for (place, found) in zip(places, await store.entries(under: Array(keys[places]))) {
                guard case .success(let entry) = found, isUnchanged(entry, place < list.count ? list[place] : nil)
                else { return false }
            }
            start = places.upperBound
        }
        return !list.isEmpty
    }

    /// True if the entry is still the one of this page. Without a page: true if no page is saved there.
    private func isUnchanged(_ entry: StoredEntry?, _ page: PageAssembly<Item>.Known?) -> Bool {
        guard let page else { return entry?.isMark ?? true }
        guard let entry else { return false }
        return PageFacts(name: page.facts.name, entry, following: page.facts.following) == page.facts
            && policy.isFresh(entry.savedAt, at: now()) == page.isShown
    }

    /// The number of pages that are read together, after the first two. Their bytes are in memory at the same time.
    private static var readAtOnce: Int { 8 }
}
