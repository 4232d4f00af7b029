import Aquifer
import AquiferFoundation

/// A phrase that was seen, and its time.
public struct SeenPhrase: Sendable, Hashable, Codable, Identifiable {
    /// The phrase.
    public let phrase: Foaas
    /// When it was last seen.
    public let seenAt: Date
    /// Its operation; `nil` if the phrase was kept before operations were.
    public let operation: FoaasOperation?

    /// Its text: the same phrase is kept once.
    public var id: String { phrase.description }
}

/// The last phrases seen, the newest first. They are offered when there is no connection.
///
/// They are this machine's own, so they do not expire; there are at most fifty.
public struct SeenPhrases: Sendable {
    /// The number of phrases that are kept.
    public static let most = 50

    /// The one entry of all phrases.
    static let entries = EntryFamily("foaas:seen", codec: CacheCodec<[SeenPhrase]>.json)

    private let cache: Cache<[SeenPhrase]>
    private let now: @Sendable () -> Date

    init(_ store: any CacheStore, now: @escaping @Sendable () -> Date) {
        cache = Cache(key: Self.entries.prefix, in: store, policy: .forever, now: now)
        self.now = now
    }

    /// The phrases, the newest first.
    ///
    /// - Throws: `StoreError` when they cannot be read.
    public func all() async throws(StoreError) -> [SeenPhrase] { try await cache.load()?.value ?? [] }

    /// Keeps a phrase, in one atomic step. It replaces phrases that cannot be read any more.
    func keep(_ phrase: Foaas, of operation: FoaasOperation? = nil) async throws(StoreError) {
        let seen = SeenPhrase(phrase: phrase, seenAt: now(), operation: operation)
        try await cache.update { old in
            Array(([seen] + (old ?? []).filter { $0.id != seen.id }).prefix(Self.most))
        }
    }
}
