import Aquifer
import AquiferFoundation

/// Clips, their sound, and posting, composed.
public struct AudioFeedService: Sendable {
    /// The entries that the feature saves.
    public static let entries = [ClipShelf.clips]
    /// The group of clips in the outbox: they are posted one after another, in their order.
    public static let group = "audio"
    /// The most bytes of sound that are kept besides those that the user has asked to keep.
    public static let bound = 512 << 20

    /// Posts that wait for a connection.
    public let outbox: Outbox
    /// The server.
    public let base: URL
    private let client: any HTTPClient
    let feed: Resource<[AudioClip]>
    /// The list with the clips that wait to be posted.
    let list: EditableResource<ClipPost>
    private let cache: Cache<[AudioClip]>
    private let openDownloads: @Sendable () async throws(StoreError) -> Downloads
    private let makeKey: @Sendable () -> String
    let makeID: @Sendable () -> UUID
    let now: @Sendable () -> Date

    /// The audio feed of the server at `base`.
    ///
    /// - Parameters:
    ///   - base: the address of the server.
    ///   - client: carries out the requests.
    ///   - store: keeps the list.
    ///   - downloads: opens the folder of the sound. It is called each time that the folder is needed.
    ///   - outbox: the queue of posts: see ``outbox(in:files:client:policy:store:now:events:)``.
    ///   - retry: the policy by which a failed load is tried again.
    ///   - patience: the time after which a load delivers the saved copy while the server has not answered; `nil` waits.
    ///   - now: the clock for dates and ages.
    ///   - events: told what the engine does; `nil` if nobody listens.
    ///   - makeID: makes the identities of clips that wait to be posted, never the same twice.
    ///   - makeKey: makes idempotency keys, never the same twice.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore,
        downloads: @escaping @Sendable () async throws(StoreError) -> Downloads, outbox: Outbox,
        retry: RetryPolicy = .never, patience: Duration? = nil,
        now: @escaping @Sendable () -> Date = { Date() }, events: (any AquiferEvents)? = nil,
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        makeKey: @escaping @Sendable () -> String = { UUID().uuidString }
    ) {
        let request = HTTPRequest.audioClips(base)
        cache = ClipShelf(url: request.url, store: store, patience: patience, now: now, events: events).cache
        feed = Resource(
            remote: RemoteLoader(request, client: client, retry: retry, map: AudioFeedMapper.clips), cache: cache)
        list = EditableResource(feed, empty: [], outbox: outbox)
        openDownloads = downloads
        self.outbox = outbox
        self.base = base
        self.client = client
        self.makeKey = makeKey
        self.makeID = makeID
        self.now = now
    }

    /// Starts to load the sound of a clip from the server. Its bytes arrive from the response's body as they are read.
    ///
    /// - Parameters:
    ///   - clip: the clip.
    ///   - range: the part to load, as a `Range` field names it; `nil` for all of it.
    ///   - ifRange: the version that the range is of, as an `If-Range` field names it.
    /// - Returns: the server's answer, whatever its status is.
    public func open(
        _ clip: AudioClip, range: String? = nil, ifRange: String? = nil
    ) async throws(TransportError) -> HTTPResponse {
        var request = HTTPRequest(.get, clip.audio, headers: ["Accept": "audio/*", "Accept-Encoding": "identity"])
        request.headers["Range"] = range
        request.headers["If-Range"] = ifRange
        return try await client.send(request)
    }

    /// The latest clips, which are then saved; offline those saved less than seven days ago. The clips that wait to be
    /// posted are among them. When neither can be loaded, a saved list that has expired or cannot be read is removed, and
    /// the clips that wait are delivered alone, if there are any.
    public func load() async throws(LoadError) -> Loaded<[AudioClip]> {
        do throws(LoadError) {
            let loaded = try await list.load()
            // A list that cannot be removed now is not shown either.
            if case .pendingOnly = loaded.source { _ = try? await cache.validate() }
            return loaded
        } catch {
            // As above.
            if error != .cancelled { _ = try? await cache.validate() }
            throw error
        }
    }

    /// The use case "load from cache" of the specification: the saved clips, if they are fresh, with those that wait to be
    /// posted. A list that has expired or cannot be read is removed.
    ///
    /// - Throws: ``AudioCacheError/noData`` when nothing fresh is saved and no clip waits, `.invalidData` when the saved list cannot be
    ///   read, `.store` when the store failed.
    public func loadSaved() async throws(AudioCacheError) -> Loaded<[AudioClip]> {
        let found: Result<Loaded<[AudioClip]>?, StoreError>
        do throws(StoreError) { found = .success(try await list.saved()) } catch { found = .failure(error) }
        do throws(StoreError) {
            let saved = try found.get()
            if let saved, saved.source != .pendingOnly(because: nil) { return saved }
            try await cache.validate()
            if let saved { return saved }
        } catch {
            guard case .unreadable = error else { throw .store(error) }
            do throws(StoreError) { try await cache.validate() } catch { throw .store(error) }
            throw .invalidData(error)
        }
        throw .noData
    }

    /// The functions by which screens load the list.
    public var loading: ResourceModel<[AudioClip]>.Loading {
        ResourceModel.Loading(
            load: { () async throws(LoadError) in try await load() },
            saved: { [list] () async throws(StoreError) in try await list.saved() },
            isFresh: { [feed] in feed.isFresh($0) }, fallback: feed.fallback, updates: list.updates)
    }

    /// The list over time, with the clips that wait to be posted.
    public var updates: ResourceUpdates<[AudioClip]> { list.updates }

    /// Refuses what is no sound: the check of the downloads. A server that does not know the type of its sound may say so.
    @Sendable public static func check(_ head: HTTPResponseHead, _ start: Data) throws {
        try Downloads.defaultCheck(head, start)
        guard let type = head.mediaType, !type.hasSuffix("/octet-stream") else { return }
        guard type.hasPrefix("audio/") || type.hasPrefix("video/") else { throw InvalidData.mediaType(type) }
    }

    /// The sound that is kept on this machine. Opening its folder can take long, and is not done on the caller's actor.
    ///
    /// - Throws: `StoreError` when its folder cannot be opened.
    public func downloads() async throws(StoreError) -> Downloads { try await openDownloads() }

    /// The age of a kept clip's last confirmation from which the remote is asked about it again.
    static let renewalAge = Duration.days(1)

    /// Asks the remote about the sound that the user keeps, so that it does not expire while there is a connection. It
    /// asks about each clip that was last confirmed a day ago or earlier. Sound that has expired or changed is fetched
    /// anew.
    ///
    /// - Returns: the number of clips that were confirmed.
    @discardableResult
    public func renewKept() async -> Int {
        var count = 0
        // The playing or keeping of a clip reports a folder that cannot be read.
        guard let downloads = try? await downloads(), let all = try? await downloads.list() else { return 0 }
        for kept in all where kept.isPinned && kept.isWhole {
            guard let before = kept.savedAt, !CachePolicy.maxAge(Self.renewalAge).isFresh(before, at: now()) else {
                continue
            }
            // The playing of a clip reports the error of its confirmation; the next round asks again. The other clips
            // are asked about all the same: a clip that the server has no more must not let them expire.
            guard !Task.isCancelled else { return count }
            guard let file = try? await downloads.renew(kept.url, ifOlderThan: Self.renewalAge),
                file.savedAt != before
            else { continue }
            count += 1
        }
        return count
    }

    /// Posts a clip now. It is in the outbox under its key before it is sent. It leaves the outbox when the remote has
    /// it, or when it certainly did not arrive.
    ///
    /// - Parameters:
    ///   - draft: the title and the file.
    ///   - key: identifies the clip to the remote, the same at each try: see ``newKey()``.
    ///   - onSent: called with the number of bytes that have gone out, from any thread.
    /// - Throws: ``ClipPostError`` when the clip was certainly not posted, or nobody knows if it was written down. A clip
    ///   that may have arrived is no error: it is ``ClipPosting/waiting(_:_:)`` in the outbox.
    public func post(
        _ draft: ClipDraft, key: String, onSent: (@Sendable (UInt64) -> Void)? = nil
    ) async throws(ClipPostError) -> ClipPosting {
        let delivery: Outbox.Delivery
        do throws(OutboxError) {
            delivery = try await outbox.post(try request(draft), key: key, label: draft.title, onSent: onSent)
        } catch { throw .notKept(error) }
        switch delivery {
        case .sent(let answer):
            do { return .posted(try AudioFeedMapper.posted(answer.head, answer.body)) } catch {
                // This happens only with an outbox that has another judge than ours.
                throw .refused(.server(status: answer.head.status, words: ""))
            }
        case .notSent(let reason): throw .noConnectivity(reason)
        case .refused(let refusal): throw .refused(refusal)
        case .setAside(let id, let refusal): return .setAside(id, refusal)
        case .unknown(let id, let failure): return .waiting(id, failure)
        case .cancelled(let id, let mayHaveArrived): return .cancelled(id, mayHaveArrived: mayHaveArrived)
        }
    }

    /// A key for a post: one for each clip, the same at each try.
    public func newKey() -> String { makeKey() }

    private func request(_ draft: ClipDraft) throws(OutboxError) -> HTTPRequest {
        do { return try HTTPRequest.postClip(base, draft) } catch {
            throw .attachment(name: draft.fileName, reason: "is not there any more")
        }
    }
}

/// The reasons why no saved list can be delivered.
public enum AudioCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Nothing is saved, or the saved list is seven days old or older.
    case noData
    /// The saved list could not be read, and was removed.
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
