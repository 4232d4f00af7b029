/// The contents of a store: readable and damaged entries.
public struct StoreContents: Sendable, Hashable {
    /// The entries whose header is undamaged, in no particular order. The bytes of an entry may still be damaged: only
    /// ``CacheStore/retrieve(_:)`` reads them.
    public var entries: [StoredEntry.Summary]
    /// The entries whose header cannot be read, in no particular order.
    public var damaged: [DamagedEntry]

    /// The contents of a store.
    public init(entries: [StoredEntry.Summary] = [], damaged: [DamagedEntry] = []) {
        self.entries = entries
        self.damaged = damaged
    }
}

extension StoreContents {
    /// The entries whose keys begin with the UTF-8 bytes of `prefix`. A damaged entry whose key is unknown is left out, unless
    /// the prefix is empty.
    ///
    /// ``CacheStore/contents(prefix:)`` of a small store of your own can be made of ``CacheStore/contents()`` with it.
    public func beginning(with prefix: String) -> StoreContents {
        if prefix.isEmpty { return self }
        return StoreContents(
            entries: entries.filter { $0.key.hasBytes(prefix) },
            damaged: damaged.filter { $0.key?.hasBytes(prefix) == true })
    }
}

extension String {
    /// True if this text's UTF-8 bytes begin with those of `prefix`. `hasPrefix` compares characters, as which an `e` is no
    /// prefix of an `e` with an accent.
    package func hasBytes(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// The rest of this text after `prefix`, by bytes; `nil` if it does not begin so. As characters, a prefix and the accent
    /// that follows may be one.
    func rest(after prefix: String) -> String? {
        hasBytes(prefix) ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }
}

/// An entry in a store whose header cannot be read.
public struct DamagedEntry: Sendable, Hashable {
    /// The key of the entry, if it can be determined. The damage may have changed it.
    public var key: String?
    /// The place of the entry in the store. ``CacheStore/remove(_:)`` finds the entry by it; lists may show it.
    public var place: String
    /// The damage of the entry.
    public var reason: String

    /// A damaged entry.
    public init(key: String?, place: String, reason: String) {
        self.key = key
        self.place = place
        self.reason = reason
    }
}

extension CacheStore {
    /// The entries whose header is undamaged, in no particular order, without their bytes.
    ///
    /// Damaged entries are left out silently. Use ``contents()`` if a missing entry matters.
    public func entries() async throws(StoreError) -> [StoredEntry.Summary] {
        try await contents().entries
    }
}
