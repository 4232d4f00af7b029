import AquiferConcurrency
import AquiferFoundation

/// A long list that a server gives in pages, by cursor, offset or link.
///
/// ```swift
/// let articles = PagedResource<Article>(
///     key: "articles", in: store, first: HTTPRequest(.get, address), next: .cursor("cursor") { head, body in
///         try JSONMapper<Envelope>().map(head, body).next
///     }, client: client, codec: .json
/// ) { head, body in try JSONMapper<Envelope>().map(head, body).items }
/// ```
///
/// - A load asks for the first page only. The later pages that are saved stay where they still join it. Where they do not,
///   the list has a gap, which ``fill(_:)`` makes smaller. An item is never there twice: its newest copy stays.
/// - Each page is saved under a key of its own, with its own age. An expired page is not shown, and leaves a gap. A list whose
///   first page has expired is no saved list.
/// - What ``Resource`` promises for a value holds for each page: the newest answer of a page stays, in one process and in
///   several; a failed save hides nothing; the saved page stands in as the ``FallbackPolicy`` says; concurrent callers
///   share one request, which the last one to leave cancels.
/// - A kill between two writes leaves a list that may be shorter or have one gap more, and is true.
public final class PagedResource<Item: Sendable>: Sendable {
    /// The first page. Its requests and its saved copy are those of the list's beginning.
    let first: Resource<PageRecord<Item>>
    let place: PagePlace<Item>
    /// The rule that decides after which errors saved pages are delivered.
    public var fallback: FallbackPolicy { first.fallback }
    let flights = Coalescer<String, Loaded<PagedList<Item>>>()
    /// The list that was delivered last, for the next page.
    let known = Locked<PageAssembly<Item>?>(nil)
    /// Those who follow ``updates``, once there was one.
    let hub = Locked<UpdateHub<PagedList<Item>>?>(nil)

    /// A list whose items have any identity.
    ///
    /// - Parameters:
    ///   - key: the key of the first page. The keys of the others begin with it, and `#` follows.
    ///   - store: keeps the pages.
    ///   - first: the request for the first page.
    ///   - next: the way in which the server gives the next page.
    ///   - client: carries out the requests.
    ///   - codec: converts a page's items to bytes and back.
    ///   - policy: the time for which a page is fresh; by default, seven days.
    ///   - fallback: decides after which errors saved pages are delivered.
    ///   - limit: the maximum length of an answer in bytes; by default, 32 MiB.
    ///   - retry: the policy for further attempts; by default, there are none.
    ///   - now: the clock for dates and ages.
    ///   - events: told of each load and save of a page.
    ///   - clock: waits until a page that is followed with ``updates`` expires.
    ///   - id: the identity of an item, such as a key path.
    ///   - map: the items of an answer, in the server's order. It throws if the answer breaks the contract.
    public init<ID: Hashable & Sendable>(
        key: String, in store: any CacheStore, first: HTTPRequest, next: NextPage<Item>, client: any HTTPClient,
        codec: CacheCodec<[Item]>, policy: CachePolicy = .sevenDays, fallback: FallbackPolicy = .standard,
        limit: Int = 32 << 20, retry: RetryPolicy = .never, now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        id: @escaping @Sendable (Item) -> ID,
        map: @escaping RemoteLoader<[Item]>.Map
    ) {
        let place = PagePlace(
            key: key, store: store, policy: policy, codec: .pages(codec), now: now, events: events,
            next: next, identify: { ItemID(id($0)) },
            load: { position throws(LoadError) in
                let request: HTTPRequest
                do throws(InvalidData) {
                    request = try position.map { text throws(InvalidData) in try next.request(first, text) } ?? first
                } catch { throw .invalidData(error) }
                return RemoteLoader(request, client: client, limit: limit, retry: retry) { head, body in
                    let items = try map(head, body)
                    return (items, try next.position(head, body, items, position))
                }
            })
        self.place = place
        self.first = Resource(
            remote: place.remote(at: nil, nil), cache: place.cache(of: nil), fallback: fallback, clock: clock)
        self.first.updated.withLock { updated in
            updated = { [weak self] end in
                // Nobody waits for this error. Those who follow have been told.
                _ = try? await self?.list(after: { () throws(LoadError) in try end.get() })
            }
        }
    }

    // MARK: Loading

    /// Loads the first page as ``Resource/load()`` does, and delivers it with the saved pages that follow.
    ///
    /// The source is the remote if the first page is from there; otherwise it is the saved copy, with the age of the oldest page.
    /// ``Loaded/savedAt`` is the date of the oldest page, too: each page has its own.
    ///
    /// - Throws: the errors of ``Resource/load()`` for the first page. A later page that cannot be read is no error:
    ///   ``PagedList/readError`` tells.
    public func load() async throws(LoadError) -> Loaded<PagedList<Item>> {
        try await load(within: place.policy.patience)
    }

    /// Loads the first page as ``load()`` does, and delivers the saved pages if there is no answer after `patience`. The request goes
    /// on: see ``Resource/load(patience:)``.
    ///
    /// - Throws: the errors of ``load()``.
    public func load(patience: Duration) async throws(LoadError) -> Loaded<PagedList<Item>> {
        try await load(within: patience)
    }

    private func load(within patience: Duration?) async throws(LoadError) -> Loaded<PagedList<Item>> {
        let call = patience.map { "load within \($0)" } ?? "load"
        return try await flights.value(for: await share(call)) { () async throws(LoadError) in
            try await self.list(after: { () async throws(LoadError) in try await self.first.load(within: patience) })
        }
    }

    /// Loads the first page, whatever its age, and delivers it with the saved pages that follow: the user has asked for it.
    ///
    /// - Throws: the errors of ``load()``.
    public func reload() async throws(LoadError) -> Loaded<PagedList<Item>> {
        try await flights.value(for: await share("reload")) { () async throws(LoadError) in
            try await self.list(after: { () async throws(LoadError) in try await self.first.reload() })
        }
    }

    /// The name of the call that a caller may share now. A call that began before the list was made invalid, here or in another
    /// process, may be about to deliver what it has found then.
    private func share(_ call: String) async -> String {
        let name = "\(call) \(first.invalidations.withLock { $0 })"
        // An entry that cannot be read tells nothing.
        guard flights.waiters(for: name) > 0, let mark = (try? await first.cache.entry())?.asking.mark else {
            return name
        }
        return "\(name) \(mark.timeIntervalSinceReferenceDate)"
    }

    /// Loads the first page as ``load()`` does, and delivers its items alone.
    package func loadFirst() async throws(LoadError) -> Loaded<[Item]> {
        var page = try await first.load()
        // The list that was delivered last may have another beginning.
        known.withLock { $0 = nil }
        if let splice = page.value.splice?.result, page.saveError == nil, !splice.dropped.isEmpty {
            // The entries are dropped unless the list still has them.
            await place.forget(splice.dropped, except: try? await place.read())
        }
        if page.saveError != nil { page.saveError = page.value.obstacle ?? page.saveError }
        return page.map(\.items)
    }

    /// Saves items as the first page, as they stand, in one atomic step.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: ``StoreError`` when they could not be saved. The page before is then still there.
    @discardableResult
    public func save(_ items: [Item]) async throws(StoreError) -> Date {
        try await first.save(PageRecord(items: items, next: place.resume(items), link: place.resume(items) ?? ""))
    }

    /// The saved pages that are fresh, without a request; `nil` if the first page is not saved or has expired.
    ///
    /// - Throws: ``StoreError`` when there is a first page and it cannot be read. If a later page cannot be read, the list
    ///   ends before it, and ``PagedList/readError`` tells.
    public func saved() async throws(StoreError) -> Loaded<PagedList<Item>>? {
        if let list = await unchanged() { return Self.copy(list, because: nil) }
        guard let read = try await place.read() else { return nil }
        known.withLock { $0 = read.adopted(over: $0) }
        return Self.copy(read.list, because: nil)
    }

    /// The list that was put together last, if its entries are the saved ones.
    private func unchanged() async -> PagedList<Item>? {
        guard let pages = known.withLock({ $0?.known }), await place.isUnchanged(pages) else { return nil }
        // Another caller may have put another one together meanwhile.
        return known.withLock { $0?.known == pages ? $0?.list : nil }
    }

    /// Deletes the pages that have expired or cannot be read.
    ///
    /// - Returns: true if a page was deleted.
    /// - Throws: ``StoreError`` when the store failed.
    @discardableResult
    public func validateSaved() async throws(StoreError) -> Bool {
        let isDeleted = try await first.validateSaved()
        return try await place.validateFurther() || isDeleted
    }

    /// True if a copy that was saved at this date may still be delivered.
    public func isFresh(_ savedAt: Date) -> Bool { first.isFresh(savedAt) }

    // MARK: Putting the list together

    /// The list after a load of the first page. Those who follow are told its error.
    private func list(
        after load: () async throws(LoadError) -> Loaded<PageRecord<Item>>
    ) async throws(LoadError) -> Loaded<PagedList<Item>> { await list(after: try await telling(load)) }

    func list(after loaded: Loaded<PageRecord<Item>>) async -> Loaded<PagedList<Item>> {
        let (record, splice) = loaded.value.spliced
        let saveError = loaded.saveError == nil ? nil : record.obstacle ?? loaded.saveError
        let beginning = PageEntry(record: record, savedAt: loaded.savedAt, saveError: saveError)
        let unsaved = saveError == nil ? [:] : place.standIns(for: beginning, splice)
        // A store that cannot be read hides nothing that has arrived.
        let read = try? await place.read(unsaved)
        if loaded.source == .remote, saveError == nil { await place.forget(splice?.dropped ?? [], except: read) }
        var assembly = read ?? place.assembly
        if read == nil { assembly.append(beginning) }
        return deliver(assembly, loaded.source, saveError, isFirst: true)
    }

    /// The list with a page that has arrived, for who has asked and for who follows.
    ///
    /// - Parameter isFirst: true for the first page, which gives the list its source.
    func deliver(
        _ assembly: PageAssembly<Item>, _ source: LoadSource, _ saveError: StoreError?, isFirst: Bool
    ) -> Loaded<PagedList<Item>> {
        known.withLock { $0 = assembly }
        // A list is saved if all of its pages are.
        let saveError = saveError ?? assembly.saveError
        let list = assembly.list
        let loaded: Loaded<PagedList<Item>>
        if case .cache(_, let error) = source {
            var copy = Self.copy(list, because: error)
            copy.saveError = saveError
            loaded = copy
        } else {
            let savedAt = saveError == nil ? assembly.oldest : nil
            loaded = Loaded(list, source: .remote, savedAt: savedAt, saveError: saveError)
        }
        let fingerprint = saveError == nil && !assembly.hasUnsaved ? assembly.fingerprint : nil
        hub.withLock { $0 }?.publish(partOf: loaded, fingerprint, keepsSource: !isFirst)
        return loaded
    }

    static func copy(_ list: PagedList<Item>, because error: LoadError?) -> Loaded<PagedList<Item>> {
        let savedAt = list.oldest ?? .distantPast
        return Loaded(list, source: .cache(savedAt: savedAt, because: error), savedAt: savedAt)
    }
}

extension PagedResource where Item: Identifiable, Item.ID: Sendable {
    /// A list of identifiable items. See ``init(key:in:first:next:client:codec:policy:fallback:limit:retry:now:events:clock:id:map:)``.
    public convenience init(
        key: String, in store: any CacheStore, first: HTTPRequest, next: NextPage<Item>, client: any HTTPClient,
        codec: CacheCodec<[Item]>, policy: CachePolicy = .sevenDays, fallback: FallbackPolicy = .standard,
        limit: Int = 32 << 20, retry: RetryPolicy = .never, now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil, clock: any Clock<Duration> = ContinuousClock(),
        map: @escaping RemoteLoader<[Item]>.Map
    ) {
        self.init(
            key: key, in: store, first: first, next: next, client: client, codec: codec, policy: policy,
            fallback: fallback, limit: limit, retry: retry, now: now, events: events, clock: clock, id: { $0.id },
            map: map)
    }
}
