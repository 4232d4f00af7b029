import AquiferConcurrency
import AquiferFoundation

/// The entries of a list in a store: one for each page. Each names the entry that follows.
///
/// The first page has the list's key. A page has the key of the position where it begins, so that a page that ends there is
/// followed by it, whoever wrote the one or the other. To append a page is one write, however long the list is.
final class PagePlace<Item: Sendable>: Sendable {
    typealias Load = @Sendable (_ position: String?) throws(LoadError) -> RemoteLoader<([Item], String?)>

    let joining: NextPage<Item>.Joining
    /// True if two items never change their order.
    private let isOrderFixed: Bool
    /// The position after items that have none.
    let resume: @Sendable ([Item]) -> String?
    let identify: @Sendable (Item) -> ItemID
    let key: String
    let store: any CacheStore
    let policy: CachePolicy
    private let codec: CacheCodec<PageRecord<Item>>
    let now: @Sendable () -> Date
    private let events: (any AquiferEvents)?
    private let load: Load

    init(
        key: String, store: any CacheStore, policy: CachePolicy, codec: CacheCodec<PageRecord<Item>>,
        now: @escaping @Sendable () -> Date, events: (any AquiferEvents)?, next: NextPage<Item>,
        identify: @escaping @Sendable (Item) -> ItemID,
        load: @escaping Load
    ) {
        self.key = key
        self.store = store
        self.policy = policy
        self.codec = codec
        self.now = now
        self.events = events
        joining = next.joining
        isOrderFixed = next.isOrderFixed
        resume = next.resume
        self.identify = identify
        self.load = load
    }

    /// An assembly without pages.
    var assembly: PageAssembly<Item> { PageAssembly(joining: joining, identify: identify) }

    /// The key of a page. The name of the first page is `nil`.
    func key(of name: String?) -> String { name.map { "\(key)#\($0)" } ?? key }

    /// The cache of a page.
    func cache(of name: String?) -> Cache<PageRecord<Item>> {
        Cache(
            key: key(of: name), in: store, policy: policy, codec: codec, now: now, events: events)
    }

    /// Loads the page of a position. Before it delivers a page, it saves what the older pages at that place know beyond it.
    func remote(at position: String?, _ name: String?) -> RemoteLoader<PageRecord<Item>> {
        var remote = RemoteLoader<PageRecord<Item>>(replying: { validators, meter throws(LoadError) in
            let sentAt = self.now()
            // The entry may be from another offset, whose validators say nothing about this one.
            let isMoved = self.joining == .overlap && name != nil
            let reply = try await self.load(position).reply(unless: isMoved ? .none : validators, metered: meter)
            switch reply.answer {
            case .notModified(let answeredAt):
                return .init(answer: .notModified(answeredAt: answeredAt), head: reply.head)
            case .value((let items, let next), let validators, let answeredAt):
                // A page that ends where it begins would be asked for again and again.
                let next = next.flatMap { $0.isEmpty || StoreKey($0) == position.map { StoreKey($0) } ? nil : $0 }
                var record = PageRecord(items: items, start: position, next: next, link: self.link(next, sentAt))
                if !Task.isCancelled { await self.makeRoom(for: &record, name) }
                return .init(
                    answer: .value(record, isMoved ? .none : validators, answeredAt: answeredAt), head: reply.head)
            }
        })
        // The load itself throws the error.
        if let page = try? load(position) { (remote.fields, remote.server) = (page.fields, page.server) }
        return remote
    }

    /// Loads the page of a position, and changes nothing in the store.
    func remote(unsaved position: String?) throws(LoadError) -> RemoteLoader<([Item], String?)> { try load(position) }

    /// The name of the entry after a page. Offsets move, so that they need names that are used once.
    private func link(_ next: String?, _ date: Date) -> String {
        guard let next else { return "" }
        guard joining == .overlap else { return next }
        return "\(next)@\(String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 36))"
    }

    /// Saves the rest of the older pages, so that a kill before the page itself is saved loses none of them.
    private func makeRoom(for record: inout PageRecord<Item>, _ name: String?) async {
        let splice = PageSplice(
            record, over: await entries(from: name), joining: joining, isOrderFixed: isOrderFixed, identify: identify)
        record.splice = .init(splice)
        guard let rest = splice.rest, let savedAt = rest.savedAt else { return }
        do throws(StoreError) {
            let cache = cache(of: rest.name)
            var entry = try cache.encode(rest.record, savedAt: savedAt, validators: .none)
            entry.origin = rest.origin
            let older = entry
            try await cache.update { found throws(StoreError) in
                // A newer page that another caller has put there follows directly, and stays.
                guard case .success(let other?) = found, !older.isNewer(than: other, at: self.now()),
                    let page = try? cache.fresh(other)?.value, !page.followsGap
                else { return .replace(older) }
                return .keep
            }
        } catch {
            // The page would hide the saved ones behind it: the old beginning stays in the store.
            record.obstacle = error
        }
    }

    // MARK: Reading

    /// The saved list; `nil` if its first page is not saved or has expired.
    ///
    /// - Parameter unsaved: entries that stand for those in the store, by their names; that of the first page is empty.
    func read(_ unsaved: [StoreKey: PageEntry<Item>] = [:]) async throws(StoreError) -> PageAssembly<Item>? {
        var assembly = assembly
        var name: String?
        while true {
            let found: PageEntry<Item>?
            do throws(StoreError) {
                if let entry = unsaved[StoreKey(name ?? "")] { found = entry } else { found = try await entry(name) }
            } catch {
                guard name != nil else { throw error }
                if case .ended = error { throw error }
                assembly.stop(because: error)
                return assembly
            }
            guard let found else { return name == nil ? nil : assembly }
            let isShown = found.savedAt.map { policy.isFresh($0, at: now()) } ?? true
            if name == nil, !isShown { return nil }
            assembly.append(found, isShown: isShown)
            guard let next = found.following, !assembly.names.contains(StoreKey(next)) else { return assembly }
            name = next
        }
    }

    /// The entries that a failed save has left out, for ``read(_:)``.
    func standIns(for entry: PageEntry<Item>, _ splice: PageSplice<Item>?) -> [StoreKey: PageEntry<Item>] {
        var unsaved = [StoreKey(entry.name ?? ""): entry]
        if let rest = splice?.rest, let name = rest.name { unsaved[StoreKey(name)] = rest }
        return unsaved
    }

    /// The saved pages from a place to the end of the list, shown or not. A page that cannot be read ends them.
    private func entries(from name: String?) async -> [PageEntry<Item>] {
        var found: [PageEntry<Item>] = []
        var names: Set<StoreKey> = []
        var name = name
        // A load needs no older page: one that cannot be read is replaced, or hidden by the gap that it leaves.
        while let entry = try? await entry(name) {
            found.append(entry)
            guard let next = entry.following, names.insert(StoreKey(next)).inserted else { break }
            name = next
        }
        return found
    }

    private func entry(_ name: String?) async throws(StoreError) -> PageEntry<Item>? {
        let cache = cache(of: name)
        guard let entry = try await cache.entry(), !entry.isMark else { return nil }
        var page = PageEntry(
            name: name, record: try cache.decode(entry).value, origin: entry.origin, savedAt: entry.savedAt,
            isAnswer: entry.isAnswer, mark: entry.asking.mark, isDenied: entry.asking.isDenied)
        page.facts = PageFacts(name: name, entry, following: page.following)
        return page
    }

    // MARK: Deleting

    /// Deletes entries that are no longer part of the list.
    func forget(_ names: [String], except list: PageAssembly<Item>?) async {
        guard let list else { return }
        for name in names where !list.names.contains(StoreKey(name)) {
            // An entry that stays is reached from nowhere, and is deleted when it has expired.
            try? await cache(of: name).clear()
        }
    }

    /// Deletes the pages after the first that have expired or cannot be read, whether they are part of the list or not.
    func validateFurther() async throws(StoreError) -> Bool {
        let prefix = "\(key)#"
        let contents = try await store.contents(prefix: prefix)
        let expired = contents.entries.filter { policy.isExpired($0.savedAt, at: now()) }.map(\.key)
        var isDeleted = false
        for name in (expired + contents.damaged.compactMap(\.key)).compactMap({ $0.rest(after: prefix) }) {
            if try await cache(of: name).validate() { isDeleted = true }
        }
        return isDeleted
    }
}

extension PageEntry {
    /// The name of the entry that follows; `nil` at the end of the list.
    fileprivate var following: String? {
        record.next == nil ? nil : record.link
    }
}
