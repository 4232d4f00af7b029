import AquiferFoundation

/// The list over time.
extension PagedResource {
    /// The saved list, and then each newer state, from whomever it comes: loads of this resource, and changes of any of its
    /// pages by anybody who uses the store. What ``Resource/updates`` promises holds for the list.
    ///
    /// - The source is that of the first page: a later page that arrives keeps it.
    /// - A page that expires leaves a gap, and `nil` tells that the first one did.
    ///
    /// ```swift
    /// for await list in articles.updates {
    ///     screen.show(list?.value.pages ?? [])
    /// }
    /// ```
    public var updates: ResourceUpdates<PagedList<Item>> {
        ResourceUpdates { [self] in
            hub.withLock { hub in
                if let known = hub { return known }
                let new = UpdateHub(source, clock: first.clock, deniedAt: first.deniedAt)
                hub = new
                return new
            }
        }
    }

    private var source: UpdateSource<PagedList<Item>> {
        UpdateSource(
            policy: place.policy, now: place.now, observe: { [place] in place.observe($0) },
            find: { [place, known] () async throws(StoreError) in
                guard let read = try await place.read() else { return try await place.unshown() }
                let whole = await place.read(over: known.withLock { $0?.unsaved })
                return UpdateSource.Found(
                    fingerprint: read.fingerprint, mark: read.first?.mark, isAnswer: read.first?.isAnswer == true,
                    // The next page belongs where the list on the screens ends.
                    adopt: { isKnown, isOver in
                        known.withLock { $0 = (isOver ? whole : nil) ?? read.adopted(over: $0, isKnown: isKnown) }
                    },
                    unsaved: whole.map { Loaded($0.list, source: .remote, saveError: $0.saveError) },
                    fresh: { () throws(StoreError) in
                        Saved(value: read.list, savedAt: read.oldest ?? .distantPast, validators: .none)
                    })
            }, answer: { [weak self] mark async throws(LoadError) in try await self?.answer(to: mark) },
            events: first.cache.updateEvents)
    }

    /// Makes the saved list invalid: the next load asks for the first page, whatever its age. Call it when you know that the list
    /// has changed on the server, for example after a request that adds an item.
    ///
    /// What ``Resource/invalidate()`` promises holds for the first page: a ``PagedModel`` that has appeared loads by itself, and
    /// without an answer the saved list stays. Later pages stay where they still join, each with its own age.
    ///
    /// - Throws: ``StoreError`` when the store failed. The next load of this instance asks all the same.
    public func invalidate() async throws(StoreError) {
        try await first.invalidate()
    }

    private func answer(to mark: Date) async throws(LoadError) -> Loaded<PagedList<Item>>? {
        let page = try await telling { () async throws(LoadError) in try await self.first.answer(to: mark) }
        guard let page else { return nil }
        return await list(after: page)
    }

    /// Loads the first page. Those who follow are told if the remote denies it, and if the scope has ended.
    func telling<Page: Sendable>(_ load: () async throws(LoadError) -> Page) async throws(LoadError) -> Page {
        do throws(LoadError) { return try await load() } catch {
            tellEnd(error)
            // Only what this load was told: an earlier denial may be over.
            if first.isDenial(error) { hub.withLock { $0 }?.hide() }
            throw error
        }
    }

    /// Tells those who follow if this is the error of a scope that has ended.
    func tellEnd(_ error: LoadError) {
        if error.isEnd { hub.withLock { $0 }?.end() }
    }
}

extension PageAssembly {
    /// This saved list, or the one known if it goes on with pages that could not be saved.
    ///
    /// - Parameter isKnown: true if the saved list is that of before, so that the screens keep the one known.
    func adopted(over known: Self?, isKnown: Bool = false) -> Self {
        guard let known, known.hasUnsaved, isKnown || known.savedFingerprint == fingerprint else { return self }
        return known
    }
}

extension PagePlace {
    /// The saved list with the pages that could not be saved; `nil` if they are no part of it.
    fileprivate func read(over unsaved: [StoreKey: PageEntry<Item>]?) async -> PageAssembly<Item>? {
        guard let unsaved, !unsaved.isEmpty else { return nil }
        // The saved list, which was read before, tells the error.
        guard let whole = try? await read(unsaved), whole.hasUnsaved else { return nil }
        return whole
    }

    /// A list that may not be shown: its first page is only a mark, or has expired; `nil` if there is none.
    func unshown<List>() async throws(StoreError) -> UpdateSource<List>.Found? {
        guard let entry = try await cache(of: nil).entry() else { return nil }
        return UpdateSource.Found(fingerprint: entry.isMark ? nil : EntryFingerprint(entry), mark: entry.asking.mark) {
            nil
        }
    }

    /// Calls the function after each change of a page.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation {
        store.changes.observe { [key] change in
            if change.concerns(key) || change.concerns(anyUnder: "\(key)#") { onChange() }
        }
    }
}

extension StoreChange {
    /// True if an entry whose key begins so may have changed.
    func concerns(anyUnder prefix: String) -> Bool {
        switch self {
        case .entry(let changed): changed.utf8.starts(with: prefix.utf8)
        case .prefix(let changed): prefix.utf8.starts(with: changed.utf8) || changed.utf8.starts(with: prefix.utf8)
        case .everything: true
        }
    }
}
