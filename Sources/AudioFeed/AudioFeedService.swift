import Aquifer
import Foundation

/// Clips, their sound, and posting, composed.
public struct AudioFeedService: Sendable {
    /// The group of the outbox that clips are posted in: one after another, in their order.
    public static let group = "audio"
    /// The most bytes of sound that are kept beside what the customer has asked to keep.
    public static let bound = 512 << 20

    /// Posts that wait for a connection.
    public let outbox: Outbox
    /// The server.
    public let base: URL
    /// Carries requests for sound that is not kept.
    public let client: any HTTPClient
    private let feed: Resource<[AudioClip]>
    private let cache: Cache<[AudioClip]>
    private let open: @Sendable () throws(StoreError) -> Downloads
    private let makeKey: @Sendable () -> String

    /// The audio feed of the server at `base`.
    ///
    /// - Parameters:
    ///   - store: keeps the list.
    ///   - downloads: opens the folder of the sound; called whenever it is needed.
    ///   - outbox: where posts wait.
    ///   - makeKey: makes idempotency keys, never the same twice.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore,
        downloads: @escaping @Sendable () throws(StoreError) -> Downloads, outbox: Outbox, retry: RetryPolicy = .never,
        now: @escaping @Sendable () -> Date = { Date() },
        makeKey: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        let request = HTTPRequest.audioClips(base)
        cache = Cache(key: "audio:\(request.url.absoluteString)", in: store, now: now)
        feed = Resource(
            remote: RemoteLoader(request, client: client, retry: retry, map: AudioFeedMapper.clips), cache: cache)
        open = downloads
        self.outbox = outbox
        self.base = base
        self.client = client
        self.makeKey = makeKey
    }

    /// The latest clips, saved; offline those saved less than seven days ago. When neither can be had, what is saved and
    /// no good is removed.
    public func load() async throws(LoadError) -> Loaded<[AudioClip]> {
        do throws(LoadError) { return try await feed.load() } catch {
            // What cannot be removed now is not shown either.
            if error != .cancelled { _ = try? await cache.validate() }
            throw error
        }
    }

    /// The use case "load from cache" of the specification: the saved clips, if they are fresh. What is expired or
    /// cannot be read is removed.
    ///
    /// - Throws: ``AudioCacheError/noData`` when nothing fresh is saved, `.invalidData` when what was saved cannot be
    ///   read, `.store` when the store failed.
    public func loadSaved() async throws(AudioCacheError) -> Loaded<[AudioClip]> {
        let found: Result<Loaded<[AudioClip]>?, StoreError>
        do throws(StoreError) { found = .success(try await feed.saved()) } catch { found = .failure(error) }
        do throws(StoreError) {
            if let saved = try found.get() { return saved }
            try await cache.validate()
        } catch {
            guard case .unreadable = error else { throw .store(error) }
            do throws(StoreError) { try await cache.validate() } catch { throw .store(error) }
            throw .invalidData(error)
        }
        throw .noData
    }

    /// The list as screens load it.
    public var loading: ResourceModel<[AudioClip]>.Loading {
        ResourceModel.Loading(
            load: { () async throws(LoadError) in try await load() },
            saved: { [feed] () async throws(StoreError) in try await feed.saved() },
            isFresh: { [feed] in feed.isFresh($0) })
    }

    /// The sound that is kept on this machine.
    ///
    /// - Throws: ``StoreError`` when its folder cannot be opened.
    public func downloads() throws(StoreError) -> Downloads { try open() }

    /// Posts a clip now.
    ///
    /// - Parameter onSent: told how many bytes have gone out, from any thread.
    /// - Returns: the clip as the remote has it.
    /// - Throws: ``LoadError/connectivity(_:)`` when it could not be posted, or it is not known whether it was: posting
    ///   again with the same `key` posts it once.
    public func post(
        _ draft: ClipDraft, key: String, onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(LoadError) -> AudioClip {
        let saver = RemoteSaver<ClipDraft, AudioClip>(
            client: client,
            request: { draft in
                var request = try HTTPRequest.postClip(base, draft)
                request.headers["Idempotency-Key"] = key
                return request
            }, map: AudioFeedMapper.posted)
        return try await saver.save(draft, onSent: onSent)
    }

    /// A key for a post: one for each clip, the same at each try.
    public func newKey() -> String { makeKey() }

    /// Queues a clip, to be posted as soon as there is a connection. Returns once it is on disk.
    ///
    /// - Throws: ``OutboxError`` when it could not be kept. Nothing was queued then.
    @discardableResult
    public func postLater(_ draft: ClipDraft) async throws(OutboxError) -> Outbox.Item {
        let request: HTTPRequest
        do { request = try HTTPRequest.postClip(base, draft) } catch {
            throw .attachment(name: draft.fileName, reason: "is not there any more")
        }
        return try await outbox.enqueue(request, group: Self.group, label: draft.title)
    }
}

/// Why nothing saved can be delivered.
public enum AudioCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nothing is saved, or it is seven days old or older.
    case noData
    /// What was saved could not be read, and was removed.
    case invalidData(StoreError)
    /// The store failed.
    case store(StoreError)

    /// One line for developers.
    public var description: String {
        switch self {
        case .noData: "nothing is saved that is less than seven days old"
        case .invalidData(let error), .store(let error): error.description
        }
    }
}
