import AquiferFoundation

/// The sizes of entries, and which of them were used here and when.
struct KnownEntries {
    private var entries: [StoreKey: (size: Int, turn: Int)] = [:]
    /// The entries that were not used here, a heap with the oldest first. One that was used since, or is gone, is skipped.
    private var unused: [(savedAt: Date, key: StoreKey)] = []
    private(set) var total = 0

    var count: Int { entries.count }

    func has(_ key: StoreKey) -> Bool { entries[key] != nil }

    /// The turn of the last use here; 0 for an entry that was not used or is not known.
    func turn(of key: StoreKey) -> Int { entries[key]?.turn ?? 0 }

    /// Records an entry that was used in a turn.
    mutating func set(_ key: StoreKey, size: Int, turn: Int) {
        total += size - (entries.updateValue((size, turn), forKey: key)?.size ?? 0)
    }

    /// Records an entry; one whose turn is 0 was not used, but saved at a date.
    mutating func set(_ key: StoreKey, size: Int, turn: Int, savedAt: Date) {
        set(key, size: size, turn: turn)
        if turn == 0 { push((savedAt, key)) }
    }

    /// Records that an entry is gone.
    mutating func remove(_ key: StoreKey) {
        total -= entries.removeValue(forKey: key)?.size ?? 0
    }

    /// Records that all entries whose keys begin so are gone.
    mutating func removeAll(prefix: String) {
        for key in entries.keys.filter({ $0.text.hasBytes(prefix) }) { remove(key) }
    }

    /// The oldest of the entries that were not used here.
    mutating func oldestUnused() -> StoreKey? {
        while let (_, key) = unused.first {
            if entries[key]?.turn == 0 { return key }
            pop()
        }
        return nil
    }

    private mutating func push(_ entry: (savedAt: Date, key: StoreKey)) {
        unused.append(entry)
        var place = unused.count - 1
        while place > 0, unused[place].savedAt < unused[(place - 1) / 2].savedAt {
            unused.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func pop() {
        unused.swapAt(0, unused.count - 1)
        unused.removeLast()
        var place = 0
        while true {
            var least = 2 * place + 1
            guard least < unused.count else { return }
            if least + 1 < unused.count, unused[least + 1].savedAt < unused[least].savedAt { least += 1 }
            guard unused[least].savedAt < unused[place].savedAt else { return }
            unused.swapAt(place, least)
            place = least
        }
    }
}
