import AquiferFoundation

/// The entries that a ``TieredStore`` has in memory, within a bound.
///
/// There are two halves. A half that is full becomes the old one, and the old one is forgotten: an entry that was not read meanwhile goes
/// with it. A read brings an entry back into the new half.
struct MemoryTier: Sendable {
    private struct Half: Sendable {
        var entries: [StoreKey: StoredEntry] = [:]
        var size = 0

        mutating func remove(_ key: StoreKey) {
            if let entry = entries.removeValue(forKey: key) { size -= MemoryTier.size(of: entry, key) }
        }

        mutating func removeAll(_ isRemoved: (StoreKey) -> Bool) {
            for key in entries.keys where isRemoved(key) { remove(key) }
        }
    }

    private let bound: Int
    private var (young, old) = (Half(), Half())
    /// The readings that are under way, by their numbers. A change of the entry ends them.
    private var readings: [StoreKey: UInt64] = [:]
    private var lastReading: UInt64 = 0

    init(bound: Int) { self.bound = bound }

    /// The number of entries that were forgotten to make room.
    private(set) var evictions = 0

    /// The bytes that the entries take, roughly.
    var size: Int { young.size + old.size }

    mutating func entry(_ key: StoreKey) -> StoredEntry? {
        if let entry = young.entries[key] { return entry }
        guard let entry = old.entries[key] else { return nil }
        old.remove(key)
        add(entry, key)
        return entry
    }

    /// Begins a reading of the tiers below.
    mutating func begin(_ key: StoreKey) -> UInt64 {
        lastReading += 1
        readings[key] = lastReading
        return lastReading
    }

    /// Ends a reading, and keeps what it has found, unless the entry was changed meanwhile or a later reading has begun.
    mutating func end(_ reading: UInt64, _ key: StoreKey, _ entry: StoredEntry?) {
        guard readings[key] == reading else { return }
        readings[key] = nil
        if let entry { add(entry, key) }
    }

    private mutating func add(_ entry: StoredEntry, _ key: StoreKey) {
        remove(key)
        let size = Self.size(of: entry, key)
        guard size <= bound / 2 else { return }
        if young.size + size > bound / 2 {
            evictions += old.entries.count
            (old, young) = (young, Half())
        }
        young.entries[key] = entry
        young.size += size
    }

    /// Forgets what a change concerns, also in the readings that are under way.
    mutating func forget(_ change: StoreChange) {
        switch change {
        case .entry(let key):
            readings[StoreKey(key)] = nil
            remove(StoreKey(key))
        case .prefix, .everything:
            readings = readings.filter { !change.concerns($0.key.text) }
            young.removeAll { change.concerns($0.text) }
            old.removeAll { change.concerns($0.text) }
        }
    }

    private mutating func remove(_ key: StoreKey) {
        young.remove(key)
        old.remove(key)
    }

    private static func size(of entry: StoredEntry, _ key: StoreKey) -> Int {
        entry.bytes.count + key.text.utf8.count + 256
    }
}
