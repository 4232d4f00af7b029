import Aquifer
import AquiferFoundation

/// The use cases of the audio feed's specification, each by itself. ``AudioFeedService/load()`` does the same in one step,
/// and shares the request with other loads.
///
/// The others have functions of their own: "Cached Feed" is ``AudioFeedService/loadSaved()``.
extension AudioFeedService {
    /// Loads the items from the remote, saves them, and delivers them. (The specification's "Remote Feed": they are downloaded
    /// and validated first.)
    ///
    /// - Returns: the items, with the error beside them when they could not be saved.
    /// - Throws: `LoadError.invalidData(_:)`, `LoadError.connectivity(_:)`, or `LoadError.cancelled`. The cache is
    ///   then as it was.
    public func loadFromRemote() async throws(LoadError) -> Loaded<[AudioClip]> {
        let clips = try await feed.loadFromRemote()
        do throws(StoreError) {
            return Loaded(clips, source: .remote, savedAt: try await cacheItems(clips))
        } catch {
            return Loaded(clips, source: .remote, saveError: error)
        }
    }

    /// "Cache Feed Items": replaces the cache by these items, with the current date, in one atomic step.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: `StoreError` when they could not be saved. The items before are then still there.
    @discardableResult
    public func cacheItems(_ clips: [AudioClip]) async throws(StoreError) -> Date {
        try await feed.save(clips)
    }
}
