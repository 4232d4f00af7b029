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
        do throws(StoreError) {
            for page in list {
                guard let entry = try await cache(of: page.facts.name).entry(),
                    PageFacts(name: page.facts.name, entry, following: page.facts.following) == page.facts,
                    policy.isFresh(entry.savedAt, at: now()) == page.isShown
                else { return false }
            }
            // The page after the last one may have been saved since.
            guard let last = list.last, let next = last.facts.following else { return !list.isEmpty }
            if list.contains(where: { $0.facts.name == next }) { return true }
            return try await cache(of: next).entry().map { $0.isMark } ?? true
        } catch {
            return false
        }
    }
}
