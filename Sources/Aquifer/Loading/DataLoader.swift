import Foundation

/// Loads data by URL (images, sounds): the saved copy while it is fresh, else the remote's, saved.
///
/// - A fresh saved copy is delivered without asking the remote; an expired one is asked after with its validators,
///   and is not shown when the remote cannot be reached.
/// - Concurrent callers of one URL share one transfer; the last one to leave cancels it.
/// - What is saved may be evicted: give it a store with a bound.
/// - A store that fails does not keep data from being shown: it is fetched, and the error told beside it.
/// - Data too large for memory goes to files: see ``download(_:)``, for loaders with ``Downloads``.
public final class DataLoader: Sendable {
    /// Judges an answer: throws when it is not what the caller can use. What is refused is not saved.
    public typealias Check = @Sendable (HTTPResponseHead, Data) throws -> Void

    private let client: any HTTPClient
    private let store: any CacheStore
    private let policy: CachePolicy
    let limit: Int
    /// Where large data goes; `nil` if this loader has no place for it.
    public let downloads: Downloads?
    private let retry: RetryPolicy
    private let now: @Sendable () -> Date
    private let check: Check
    private let flights = Coalescer<URL, Loaded<Data>>()

    /// A loader.
    ///
    /// - Parameters:
    ///   - client: carries the transfers.
    ///   - store: where copies are kept, under `data:` and the URL.
    ///   - policy: how long a copy is shown without asking; seven days unless told otherwise.
    ///   - limit: the most bytes of one answer; 32 MiB unless told otherwise.
    ///   - retry: whether a failed transfer is tried again.
    ///   - downloads: where large data goes.
    ///   - now: the clock that stamps and judges copies.
    ///   - check: judges an answer; status 200 and not empty unless told otherwise.
    public init(
        client: any HTTPClient, store: any CacheStore, policy: CachePolicy = .sevenDays, limit: Int = 32 << 20,
        retry: RetryPolicy = .never, downloads: Downloads? = nil, now: @escaping @Sendable () -> Date = { Date() },
        check: @escaping Check = { head, data in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            guard !data.isEmpty else { throw InvalidData.body("the body is empty") }
        }
    ) {
        self.client = client
        self.store = store
        self.policy = policy
        self.limit = limit
        self.retry = retry
        self.downloads = downloads
        self.now = now
        self.check = check
    }

    /// The data of a URL.
    public func data(for url: URL) async throws(LoadError) -> Loaded<Data> {
        if let saved = await freshCopy(of: url) { return saved }
        if let saved = await downloaded(url) { return saved }
        let resource = resource(for: url)
        return try await flights.value(for: url) { () async throws(LoadError) in try await resource.load() }
    }

    /// Fetches the data of a URL into the store ahead of need. Failures are left for ``data(for:)`` to meet.
    ///
    /// Cancel the calling task to cancel the transfer, unless someone else has come to wait for it.
    public func preload(_ url: URL) async {
        // A preload that fails has cost nothing: whoever needs the data asks again and is told then.
        _ = try? await data(for: url)
    }

    /// The key of a URL's entry in the store.
    public static func key(for url: URL) -> String { "data:\(url.absoluteString)" }

    /// How many callers wait for a transfer of this URL.
    package func waiters(for url: URL) -> Int { flights.waiters(for: url) }

    private func freshCopy(of url: URL) async -> Loaded<Data>? {
        do throws(StoreError) {
            guard let saved = try await cache(for: url).load() else { return nil }
            return Loaded(saved.value, source: .cache(savedAt: saved.savedAt, because: nil), savedAt: saved.savedAt)
        } catch {
            // An unreadable copy is replaced by the transfer that follows, which tells of a store that fails.
            return nil
        }
    }

    private func cache(for url: URL) -> Cache<Data> {
        Cache(key: Self.key(for: url), in: store, policy: policy, codec: .raw, kind: .data, now: now)
    }

    private func resource(for url: URL) -> Resource<Data> {
        let check = check
        let remote = RemoteLoader<Data>(HTTPRequest(.get, url), client: client, limit: limit, retry: retry) {
            head, data in
            try check(head, data)
            return data
        }
        return Resource(remote: remote, cache: cache(for: url))
    }
}
