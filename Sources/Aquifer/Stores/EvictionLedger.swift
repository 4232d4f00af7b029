/// The entries that count towards a bound, in the order of their use.
struct EvictionLedger {
    private var sizes: [StoreKey: (size: Int, turn: Int)] = [:]
    /// The keys in the order of use. Only the element with the entry's own turn counts; the others are skipped.
    private var order: [(key: StoreKey, turn: Int)] = []
    private var first = 0
    private var turn = 0
    private var total = 0
    private(set) var isUncounted = true
    private(set) var addedSinceCount = 0
    private var insertsSinceCount = 0
    /// The number of entries in the last list, those that do not count included.
    private var listed = 0

    /// True if the inserts since the last count pay for the next one, which lists everything: no insert then costs more than
    /// a fixed number of entries on average.
    var isCountAffordable: Bool { insertsSinceCount > listed / 16 }

    /// Marks an entry as used now.
    mutating func touch(_ key: StoreKey) {
        guard let size = sizes[key]?.size else { return }
        use(key, size: size)
    }

    /// Records a stored entry, which replaces any earlier one.
    mutating func add(_ key: StoreKey, size: Int) {
        remove(key)
        total += size
        addedSinceCount += size
        insertsSinceCount += 1
        use(key, size: size)
    }

    /// Records that an entry is gone.
    mutating func remove(_ key: StoreKey) {
        total -= sizes.removeValue(forKey: key)?.size ?? 0
    }

    /// Records that all entries whose keys begin so are gone.
    mutating func removeAll(prefix: String) {
        for key in sizes.keys.filter({ $0.text.hasBytes(prefix) }) { remove(key) }
    }

    /// Counts the entries that are really stored. Entries that were not known go first, the oldest first.
    mutating func count(_ found: [StoredEntry.Summary]) {
        let known = sizes
        (sizes, order, first, total, addedSinceCount, isUncounted) = ([:], [], 0, 0, 0, false)
        (insertsSinceCount, listed) = (0, found.count)
        let data = found.filter { $0.kind == .data }
        let strangers = data.filter { known[StoreKey($0.key)] == nil }.sorted { $0.savedAt < $1.savedAt }
        let ours = data.compactMap { entry in known[StoreKey(entry.key)].map { (entry, $0.turn) } }.sorted {
            $0.1 < $1.1
        }
        for entry in strangers + ours.map(\.0) {
            total += entry.size
            use(StoreKey(entry.key), size: entry.size)
        }
    }

    /// The entry to evict next while the total is over `bound`.
    mutating func nextVictim(over bound: Int) -> StoreKey? {
        guard total > bound else { return nil }
        while first < order.count {
            let (key, turn) = order[first]
            if sizes[key]?.turn == turn { return key }
            first += 1
        }
        return nil
    }

    private mutating func use(_ key: StoreKey, size: Int) {
        turn += 1
        sizes[key] = (size, turn)
        order.append((key, turn))
        if order.count > 64 + 2 * sizes.count {
            order = order[first...].filter { sizes[$0.key]?.turn == $0.turn }
            first = 0
        }
    }
}
