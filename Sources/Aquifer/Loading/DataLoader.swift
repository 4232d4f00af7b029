import AquiferConcurrency
import AquiferFoundation

/// Loads data by URL (images, sounds). A fresh saved copy is delivered; otherwise the remote's data is loaded and
/// saved.
///
/// - A fresh saved copy is delivered without a request. An expired copy is revalidated with its validators, and is not
///   delivered when the remote cannot be reached.
/// - Concurrent callers of one URL share one transfer; the last one to leave cancels it.
/// - A copy that was made invalid, or whose server wants to be asked, is revalidated as an expired one is, and stands in for
///   the latest when there is no answer.
/// - Saved data may be evicted: give the loader a store with a bound.
/// - A failing store does not prevent delivery: the data is fetched, and delivered with the store's error beside it.
/// - Data too large for memory is downloaded to files by ``download(_:)``, if the loader has ``Downloads``.
public final class DataLoader: Sendable {
    /// Validates an answer, and throws when the caller cannot use it. A refused answer is not saved.
    public typealias Check = @Sendable (HTTPResponseHead, Data) throws -> Void

    private let client: any HTTPClient
    private let store: any CacheStore
    private let policy: CachePolicy
    let limit: Int
    /// The folder of downloads for large data; `nil` if this loader has none.
    public let downloads: Downloads?
    private let retry: RetryPolicy
    let scope: String?
    private let now: @Sendable () -> Date
    private let check: Check
    private let events: (any AquiferEvents)?
    /// The resources of the calls under way, which share their requests and their invalidations.
    private let underWay = Locked<[URL: (resource: Resource<Data>, callers: Int)]>([:])

    /// A loader.
    ///
    /// - Parameters:
    ///   - client: the client that carries out the transfers.
    ///   - store: the store of the copies, under the key `data:` and the URL.
    ///   - policy: the time for which a copy is delivered without a request; by default, seven days.
    ///   - limit: the maximum length of one answer in bytes; by default, 32 MiB.
    ///   - retry: the policy for failed transfers; by default, a transfer is not retried.
    ///   - downloads: the folder of downloads for large data.
    ///   - scope: the name of a user, or of whatever else separates data of one URL: two loaders over one store with different
    ///     scopes never deliver each other's copies. It is a part of the keys and not a ``Scope``: it never ends, and deletes
    ///     nothing. For data that goes with its user, give the loader a scope's ``Scope/store``. Downloads know no scope: give
    ///     each user a folder of their own. By default, there is no scope.
    ///   - now: the clock for the dates and ages of copies.
    ///   - events: told of each request and each save, with the class `data`.
    ///   - check: validates an answer; by default, ``defaultCheck(_:_:)``.
    public init(
        client: any HTTPClient, store: any CacheStore, policy: CachePolicy = .sevenDays, limit: Int = 32 << 20,
        retry: RetryPolicy = .never, downloads: Downloads? = nil, scope: String? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, events: (any AquiferEvents)? = nil,
        check: @escaping Check = DataLoader.defaultCheck
    ) {
        self.client = client
        self.store = store
        self.policy = policy
        self.limit = limit
        self.retry = retry
        self.downloads = downloads
        self.scope = scope
        self.now = now
        self.events = events
        self.check = check
    }

    /// The check of a loader without one of its own: status 200, and a body that is not empty.
    ///
    /// Begin your own check with it:
    ///
    /// ```swift
    /// let check: DataLoader.Check = { head, data in
    ///     try DataLoader.defaultCheck(head, data)
    ///     guard head.mediaType == "audio/mpeg" else { throw InvalidData.mediaType(head.mediaType) }
    /// }
    /// let sounds = DataLoader(client: client, store: store, check: check)
    /// ```
    ///
    /// - Throws: ``InvalidData`` if the answer is another.
    @Sendable public static func defaultCheck(_ head: HTTPResponseHead, _ data: Data) throws {
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        guard !data.isEmpty else { throw InvalidData.body("the body is empty") }
    }

    /// The data of a URL.
    ///
    /// - Throws: ``LoadError``, as ``Resource/load()`` does under ``FallbackPolicy/standard``. A store that fails is no error when
    ///   the data arrives.
    public func data(for url: URL) async throws(LoadError) -> Loaded<Data> {
        let (copy, isInvalid) = await savedCopy(of: url)
        if let copy { return copy }
        let resource = enter(url)
        defer { leave(url) }
        do throws(LoadError) { return try await resource.load() } catch {
            // The file is as good a copy as one in the store.
            guard isInvalid, resource.fallback.allows(error), let saved = await downloaded(url, because: error) else {
                throw error
            }
            return saved
        }
    }

    /// The saved copy of a URL, if ``data(for:)`` would deliver it without a request; otherwise `nil`.
    public func saved(for url: URL) async -> Loaded<Data>? {
        await savedCopy(of: url).0
    }

    /// Loads the data of a URL into the store ahead of need. Failures are ignored: ``data(for:)`` reports them.
    ///
    /// Cancelling the calling task cancels the transfer, unless another caller waits for it.
    public func preload(_ url: URL) async {
        // A failed preload does no harm: a later `data(for:)` asks again and throws the error.
        _ = try? await data(for: url)
    }

    /// Makes the saved copy of a URL invalid: the next call asks, and the copy may stand in for the latest
    /// (``Cache/invalidate()``). A call that is under way asks once more.
    ///
    /// A downloaded file stays as it is, and may stand in for the latest, too. ``Downloads/renew(_:ifOlderThan:)`` asks for it.
    ///
    /// - Throws: ``StoreError`` when the store failed.
    public func invalidate(_ url: URL) async throws(StoreError) {
        let resource = enter(url)
        defer { leave(url) }
        try await resource.invalidate()
    }

    /// The key of a URL's entry in the store.
    ///
    /// - Parameters:
    ///   - url: the address of the data.
    ///   - scope: the scope of the loader; `nil` if it has none.
    public static func key(for url: URL, scope: String? = nil) -> String {
        guard let scope else { return keyPrefix + url.absoluteString }
        return keyPrefix(ofScope: scope) + url.absoluteString
    }

    /// The beginning of the keys of one scope. It is no beginning of another's, and no absolute URL begins so.
    public static func keyPrefix(ofScope scope: String) -> String {
        keyPrefix + "@" + PercentEncoding.encode(scope, keeping: \.isLetterOrDigit) + "@"
    }

    /// The beginning of the keys of all entries.
    public static var keyPrefix: String { "data:" }

    /// The number of callers that wait for a transfer of this URL.
    package func waiters(for url: URL) -> Int { underWay.withLock { $0[url]?.resource.waiters } ?? 0 }

    /// The saved copy or downloaded file, if it may be delivered without a request; else true if the copy was made invalid.
    private func savedCopy(of url: URL) async -> (Loaded<Data>?, isInvalid: Bool) {
        let (copy, isInvalid) = await storedCopy(of: url)
        guard copy == nil, !isInvalid else { return (copy, isInvalid) }
        return (await downloaded(url), false)
    }

    /// The copy in the store, if it may be delivered without a request; else true if it was made invalid.
    private func storedCopy(of url: URL) async -> (Loaded<Data>?, isInvalid: Bool) {
        do throws(StoreError) {
            let cache = cache(for: url)
            guard let entry = try await cache.entry() else { return (nil, false) }
            let isInvalid = entry.asking.mark != nil || entry.asking.isDenied
            guard let saved = try cache.fresh(entry), cache.isCurrent(entry, for: Self.fields) else {
                return (nil, isInvalid)
            }
            if let askAt = policy.askAt(entry.asking), cache.time >= askAt { return (nil, isInvalid) }
            let source = LoadSource.cache(savedAt: saved.savedAt, because: nil)
            return (Loaded(saved.value, source: source, savedAt: saved.savedAt), false)
        } catch {
            // The transfer that follows replaces an unreadable copy, and reports a failing store.
            return (nil, false)
        }
    }

    /// The resource of a URL, which all who are under way share. Each caller leaves when it has ended.
    private func enter(_ url: URL) -> Resource<Data> {
        underWay.withLock { known in
            let resource = known[url]?.resource ?? resource(for: url)
            known[url] = (resource, (known[url]?.callers ?? 0) + 1)
            return resource
        }
    }

    private func leave(_ url: URL) {
        // The resource is released outside of the lock.
        let ended = underWay.withLock { known -> Resource<Data>? in
            guard let (resource, callers) = known[url] else { return nil }
            known[url] = callers > 1 ? (resource, callers - 1) : nil
            return resource
        }
        withExtendedLifetime(ended) {}
    }

    /// Pictures and sounds are compressed already. A compressed body could inflate to any size.
    private static let fields: HTTPHeaders = ["Accept-Encoding": "identity"]

    private func cache(for url: URL) -> Cache<Data> {
        Cache(
            key: Self.key(for: url, scope: scope), in: store, policy: policy, codec: .raw, kind: .data, now: now,
            events: events)
    }

    private func resource(for url: URL) -> Resource<Data> {
        let check = check
        let request = HTTPRequest(.get, url, headers: Self.fields)
        let remote = RemoteLoader<Data>(request, client: client, limit: limit, retry: retry) { head, data in
            try check(head, data)
            return data
        }
        return Resource(remote: remote, cache: cache(for: url))
    }
}

extension UInt8 {
    /// True for the letters and digits of ASCII.
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension CacheCodec where Value == Data {
    /// The bytes themselves.
    public static var raw: CacheCodec { CacheCodec(encode: { $0 }, decode: { $0 }) }
}
