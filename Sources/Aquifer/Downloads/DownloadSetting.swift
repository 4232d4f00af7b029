import AquiferFoundation

/// The settings that all downloads of a folder share.
struct DownloadSetting: Sendable {
    var client: any HTTPClient
    var folder: DownloadFolder
    var policy: CachePolicy
    var limit: Int
    var retry: RetryPolicy
    var patience: Duration
    var durability: Downloads.Durability
    var clock: any Clock<Duration>
    var now: @Sendable () -> Date
    var events: (any AquiferEvents)?
    var check: Downloads.Check

    /// The file of a URL if it is complete and fresh. Blocks.
    func fresh(_ url: URL) throws(StoreError) -> DownloadedFile? {
        guard let file = try folder.whole(url), policy.isFresh(file.savedAt, at: now()) else { return nil }
        return file
    }
}
