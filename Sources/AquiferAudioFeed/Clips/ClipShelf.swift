import Aquifer
import AquiferFoundation

/// The use case "cache feed items" for one clip: adds a clip that was just posted to the saved list of a server.
struct ClipShelf: Sendable {
    /// The saved lists.
    static let clips = EntryFamily("audio:", codec: CacheCodec<[AudioClip]>.json)

    let cache: Cache<[AudioClip]>
    private let now: @Sendable () -> Date

    /// The list of the clips at this address.
    init(
        url: URL, store: any CacheStore, patience: Duration? = nil, now: @escaping @Sendable () -> Date,
        events: (any AquiferEvents)? = nil
    ) {
        cache = Cache(
            key: Self.clips.key(url.absoluteString), in: store, policy: CachePolicy(patience: patience), now: now,
            events: events)
        self.now = now
    }

    /// Adds a clip to the saved list, before those posted earlier, in one atomic step and without the network.
    ///
    /// The date of a fresh list stays, so that the other clips look no fresher than they are. A list that has expired
    /// or is damaged is replaced by a list of the clip alone, with the current date.
    ///
    /// - Throws: ``StoreError``. The list saved before is then still there.
    func add(_ clip: AudioClip) async throws(StoreError) {
        let time = now()
        try await cache.update(restamping: { saved in ((saved?.value ?? []).adding(clip), saved?.savedAt ?? time) })
    }
}

extension [AudioClip] {
    /// The list with a clip in place of the one of its identity, or before the first one that was posted earlier.
    func adding(_ clip: AudioClip) -> [AudioClip] {
        var clips = self
        if let place = clips.firstIndex(where: { $0.id == clip.id }) {
            clips[place] = clip
        } else {
            let place = clips.firstIndex { $0.createdAt <= clip.createdAt } ?? clips.endIndex
            clips.insert(clip, at: place)
        }
        return clips
    }
}
