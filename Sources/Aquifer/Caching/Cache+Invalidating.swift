import AquiferFoundation

extension Cache {
    /// Makes the saved copy invalid, in one atomic step: the next load asks, whatever ``CachePolicy/askAfter`` and
    /// ``StoredEntry/askAt`` say, in this process or another. The copy stays as it is, with its date and validators, and
    /// may stand in for the latest.
    ///
    /// Without a copy a mark is saved: an empty entry, which no load delivers and the next answer replaces. By it, a load that is
    /// under way asks once more, in whatever process. A damaged copy stays as it is: a load asks then anyway.
    ///
    /// - Throws: ``StoreError`` when the store failed. The copy is then unchanged.
    public func invalidate() async throws(StoreError) {
        // The value is not saved anew: that is no event.
        try await store.update(key) { current throws(StoreError) in
            if case .success(nil) = current { return .replace(.mark(kind)) }
            return try StoredEntry.invalidated(current)
        }
    }
}

extension CacheStore {
    /// Makes all entries invalid whose keys begin with `prefix`, as ``Cache/invalidate()`` does: one atomic step for each.
    ///
    /// ```swift
    /// try await store.invalidate(prefix: "article:")
    /// ```
    ///
    /// An entry that is saved meanwhile may be left out. Damaged entries stay as they are.
    ///
    /// - Parameter prefix: the beginning of the keys, compared byte by byte.
    /// - Throws: ``StoreError`` when the store failed. Some of the entries may then be invalid already; call it again.
    public func invalidate(prefix: String) async throws(StoreError) {
        try await invalidate(prefix: prefix) { _ in true }
    }

    /// Makes the entries invalid whose keys begin with `prefix` and are chosen.
    func invalidate(
        prefix: String = "", where isChosen: @Sendable (String) -> Bool
    ) async throws(StoreError) {
        for entry in try await contents(prefix: prefix).entries where isChosen(entry.key) {
            try await update(entry.key) { current throws(StoreError) in try StoredEntry.invalidated(current) }
        }
    }
}

extension StoredEntry {
    /// The change that makes an entry invalid.
    ///
    /// - Throws: an error of the system. The entry may be undamaged.
    fileprivate static func invalidated(_ current: Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange {
        switch current {
        case .success(var entry?):
            entry.ask(from: Asking.newMark())
            return .replace(entry)
        case .success(nil), .failure(.unreadable): return .keep
        case .failure(let error): throw error
        }
    }

    /// Makes the next load ask. That the server wants each load to ask is remembered, as an end of staleness in the distant past.
    mutating func ask(from date: Date) {
        let isReplaced = asking.mark != nil || asking.isDenied
        let asksAlways = isReplaced ? asking.staleUntil != nil : asking.askAt.map { $0 <= savedAt } ?? false
        asking = Asking(askAt: date, staleUntil: asksAlways ? .distantPast : nil)
    }

    /// The mark of a value that was made invalid while it had no copy.
    static func mark(_ kind: Kind, _ mark: Date = Asking.newMark()) -> StoredEntry {
        StoredEntry(bytes: Data(), savedAt: .distantPast, kind: kind, asking: Asking(askAt: mark))
    }
}
