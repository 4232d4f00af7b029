/// The entries that count towards a bound, in the order of their use.
///
/// They are counted in pages. Until the last page, what was known before stays in force: nothing is evicted before the first count.
struct EvictionLedger {
    /// What is to be done after an insert.
    enum Step {
        case nothing
        /// Ask the store for a number that its entries do not exceed.
        case look
        /// List the page after this key.
        case page(after: String?)
    }

    private var known = KnownEntries()
    /// The count that is under way, and the last key that it has listed.
    private var counting: (found: KnownEntries, after: String?, listed: Int)?
    /// The keys in the order of use. Only the element with the entry's own turn counts; the others are skipped.
    private var order: [(key: StoreKey, turn: Int)] = []
    private var first = 0
    private var turn = 0
    private var isUncounted = true
    /// The bytes that may be added before the store is looked at again, as long as it was never counted.
    private var room = -1
    private var added = 0
    private var insertsSinceCount = 0
    /// The number of entries in the last list, those that do not count included.
    private var listed = 0

    /// What is to be done now, with entries within `bound`.
    mutating func step(bound: Int) -> Step {
        if let counting { return .page(after: counting.after) }
        if isUncounted { return added > room ? .look : .nothing }
        // A count is begun early, so that it can end before others have added an eighth. The inserts since the last one pay for it: no
        // insert then costs more than a fixed number of entries on average.
        guard added > bound / 16, insertsSinceCount > listed / 16 else { return .nothing }
        return begin()
    }

    /// Records that all entries together have at most `most` bytes, within `bound`.
    mutating func isWithin(_ bound: Int, most: Int) {
        (room, added) = (min(bound - most, bound / 8), 0)
    }

    /// Begins to count.
    mutating func begin() -> Step {
        (counting, added, insertsSinceCount) = ((KnownEntries(), nil, 0), 0, 0)
        return .page(after: nil)
    }

    /// True if the count that is under way must come to its end now: the bound may be exceeded by an eighth.
    func isLate(bound: Int) -> Bool { counting != nil && added > bound / 8 }

    /// Takes the next page of the count. Entries that were not used here go first, the oldest first.
    mutating func count(_ page: StorePage) {
        guard var (found, _, count) = counting else { return }
        counting = nil  // else the next lines copy it
        count += page.contents.entries.count
        for entry in page.contents.entries where entry.kind == .data {
            let key = StoreKey(entry.key)
            // One that is used during the count is known already.
            if !found.has(key) { found.set(key, size: entry.size, turn: known.turn(of: key), savedAt: entry.savedAt) }
        }
        if let next = page.next {
            counting = (found, next, count)
        } else {
            (known, listed, isUncounted) = (found, count, false)
        }
    }

    /// Marks an entry of this size as used now.
    mutating func touch(_ key: StoreKey, size: Int) { use(key, size: size) }

    /// Records a stored entry, which replaces any earlier one.
    mutating func add(_ key: StoreKey, size: Int) {
        added += size
        insertsSinceCount += 1
        use(key, size: size)
    }

    /// Records that an entry is gone.
    mutating func remove(_ key: StoreKey) {
        known.remove(key)
        counting?.found.remove(key)
    }

    /// Records that all entries whose keys begin so are gone.
    mutating func removeAll(prefix: String) {
        known.removeAll(prefix: prefix)
        counting?.found.removeAll(prefix: prefix)
    }

    /// The entry to evict next while the total is over `bound`.
    mutating func nextVictim(over bound: Int) -> StoreKey? {
        guard !isUncounted, known.total > bound else { return nil }
        if let oldest = known.oldestUnused() { return oldest }
        while first < order.count {
            let (key, turn) = order[first]
            if known.turn(of: key) == turn { return key }
            first += 1
        }
        return nil
    }

    private mutating func use(_ key: StoreKey, size: Int) {
        turn += 1
        known.set(key, size: size, turn: turn)
        counting?.found.set(key, size: size, turn: turn)
        order.append((key, turn))
        if order.count > 64 + 2 * known.count {
            order = order[first...].filter { known.turn(of: $0.key) == $0.turn }
            first = 0
        }
    }
}
