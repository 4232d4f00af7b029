import AquiferFoundation

/// The pages after the first.
extension PagedResource {
    /// Loads the page after the last one, and delivers the list with it. At the end of the list it asks for nothing.
    ///
    /// Without an answer it delivers the page if it is saved, as ``fallback`` says, or throws the error.
    public func loadMore() async throws(LoadError) -> Loaded<PagedList<Item>> {
        // What was put together may have been denied since, or its scope have ended.
        guard try await telling({ () async throws(LoadError) in try await first.mayShowCopies() }) else {
            return try await load()
        }
        guard let (end, whole) = await current({ ($0.end, $0.end == nil ? $0.list : nil) }) else {
            return try await load()
        }
        guard let end else { return Self.copy(whole ?? PagedList(), because: nil) }
        return try await flights.value(for: "more \(end.link)") { () async throws(LoadError) in
            try await self.extend(end, fallback: self.fallback)
        }
    }

    /// Loads the page after the newer part before a gap, and delivers the list with it. The gap is then gone, or smaller.
    ///
    /// - Throws: the error of the request: no saved page stands in for what is missing. A gap that is no longer part of the
    ///   list is none: the list is delivered as it is.
    public func fill(_ gap: PageGap) async throws(LoadError) -> Loaded<PagedList<Item>> {
        guard try await telling({ () async throws(LoadError) in try await first.mayShowCopies() }) else {
            return try await load()
        }
        guard let list = await current({ $0.list }), let gap = list.gaps.first(where: { $0.id == gap.id }) else {
            return try await load()
        }
        let end = PageAssembly<Item>.End(link: gap.id, position: gap.position)
        return try await flights.value(for: "fill \(gap.id)") { () async throws(LoadError) in
            let filled = try await self.extend(end, fallback: .never)
            let isSmaller = filled.value.gaps.count < list.gaps.count
            let isLonger = filled.value.allItems.count > list.allItems.count
            guard self.place.joining == .overlap, !isSmaller, !isLonger else { return filled }
            return try await self.beginAnew()
        }
    }

    /// The page at a position, from the remote. It is saved if a saved page ends there.
    package func page(at position: String?) async throws(LoadError) -> Loaded<[Item]> {
        guard let position, place.joining == .ends, await isEnd(position) else {
            return Loaded(try await place.remote(unsaved: position).load().0, source: .remote)
        }
        let end = PageAssembly<Item>.End(link: position, position: position)
        let loaded = try await page(end, fallback: .never)
        _ = await list(with: loaded, at: end)
        return Loaded(
            loaded.value.items, source: loaded.source, savedAt: loaded.savedAt,
            saveError: loaded.value.obstacle ?? loaded.saveError)
    }

    private func isEnd(_ position: String) async -> Bool {
        // Without a list that can be read the page belongs to none.
        await current { $0.end?.link == position || $0.names.contains(StoreKey(position)) } ?? false
    }

    /// A part of the list that was delivered last if none of its pages has expired since, or of the saved one.
    ///
    /// The list itself stays where it is: a page would be appended to a copy of all pages if anybody else had it.
    private func current<Part>(_ part: (PageAssembly<Item>) -> Part) async -> Part? {
        let remembered = known.withLock { list in
            if !isFresh(list) { list = nil }
            return list.map(part)
        }
        if let remembered { return remembered }
        // A list that cannot be read is loaded.
        _ = try? await saved()
        return known.withLock { $0.map(part) }
    }

    /// True if each page of the list may still be shown.
    private func isFresh(_ list: PageAssembly<Item>?) -> Bool { list?.oldest.map { isFresh($0) } ?? true }

    /// The most requests of one call. Each but the first follows an offset that was too far.
    private static var attempts: Int { 4 }

    private func extend(
        _ end: PageAssembly<Item>.End, fallback: FallbackPolicy
    ) async throws(LoadError) -> Loaded<PagedList<Item>> {
        var end = end
        for attempt in 1... {
            if place.joining == .overlap, end.position == "0" { return try await beginAnew() }
            let loaded = try await page(end, fallback: fallback)
            let result = await list(with: loaded, at: end)
            guard attempt < Self.attempts, loaded.source == .remote, let earlier = missed(end) else { return result }
            end.position = earlier
        }
        return try await load()
    }

    /// Loads the first page. If that closes no gap, no offset fits the older pages any more: they are forgotten.
    private func beginAnew() async throws(LoadError) -> Loaded<PagedList<Item>> {
        let loaded = try await reload()
        guard loaded.source == .remote, !loaded.value.gaps.isEmpty,
            let link = known.withLock({ $0?.first?.record.link })
        else { return loaded }
        // What cannot be deleted is shown with its gap, as before.
        try? await place.cache(of: link).clear()
        guard let saved = try? await saved() else { return loaded }
        return saved.value.gaps.isEmpty
            ? Loaded(saved.value, source: .remote, savedAt: saved.savedAt, saveError: loaded.saveError) : loaded
    }

    /// The earlier offset to ask for, because the list has become shorter and the page at this one joins nothing.
    private func missed(_ end: PageAssembly<Item>.End) -> String? {
        guard place.joining == .overlap, let list = known.withLock({ $0 }), let asked = Int(end.position) else {
            return nil
        }
        let gap = list.list.gaps.first { $0.id == end.link }?.position
        let position = gap ?? (list.end?.link == end.link ? list.end?.position : nil)
        return position.flatMap { Int($0).map { $0 < asked } == true ? $0 : nil }
    }

    private func page(
        _ end: PageAssembly<Item>.End, fallback: FallbackPolicy
    ) async throws(LoadError) -> Loaded<PageRecord<Item>> {
        let page = Resource(
            remote: place.remote(at: end.position, end.link), cache: place.cache(of: end.link), fallback: fallback)
        do throws(LoadError) { return try await page.reload() } catch {
            tellEnd(error)
            throw error
        }
    }

    /// The list with a page that has arrived. One more page at the end costs the same however long the list is.
    private func list(
        with loaded: Loaded<PageRecord<Item>>, at end: PageAssembly<Item>.End
    ) async -> Loaded<PagedList<Item>> {
        let (record, splice) = loaded.value.spliced
        let saveError = loaded.saveError == nil ? nil : record.obstacle ?? loaded.saveError
        let entry = PageEntry(name: end.link, record: record, savedAt: loaded.savedAt, saveError: saveError)
        let isLast = loaded.source == .remote && splice?.isOverNothing == true
        let appended = known.withLock { known -> PageAssembly<Item>? in
            guard isLast, known?.end == end, known?.list.readError == nil, isFresh(known) else { return nil }
            known?.append(entry)
            return known
        }
        var whole = appended
        if whole == nil {
            // The pages before this one may be known better than the store has them.
            var unsaved = known.withLock { isFresh($0) ? $0?.unsaved : nil } ?? [:]
            unsaved[StoreKey(end.link)] = nil
            if saveError != nil { unsaved.merge(place.standIns(for: entry, splice)) { $1 } }
            // A store that cannot be read any more hides no page that was shown.
            whole = (try? await place.read(unsaved)) ?? known.withLock { isFresh($0) ? $0 : nil }
            if loaded.source == .remote, saveError == nil { await place.forget(splice?.dropped ?? [], except: whole) }
        }
        return deliver(whole ?? place.assembly, loaded.source, saveError, isFirst: false)
    }
}

extension FallbackPolicy {
    /// After no error: what is missing has no copy.
    fileprivate static var never: FallbackPolicy { FallbackPolicy { _ in false } }
}
