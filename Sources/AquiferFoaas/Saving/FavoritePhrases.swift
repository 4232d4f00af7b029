import Aquifer
import AquiferFoundation

/// An operation that the user likes, with what it says.
public struct FavoritePhrase: Sendable, Hashable, Codable, Identifiable {
    /// The operation.
    public let operation: FoaasOperation
    /// The remote's answer to the template's question; `nil` until it is known.
    let answer: Foaas?
    /// When it became a favorite.
    public let keptAt: Date

    /// The operation's.
    public var id: FoaasOperation.ID { operation.id }

    /// What it says, with places for the values; `nil` until that is known.
    public var template: FoaasTemplate? { answer.map { FoaasTemplate($0, of: operation) } }
}

/// The reason why the favorites are not as the user wants them.
public enum FavoriteError: Error, Sendable, Hashable {
    /// There are ``FavoritePhrases/most`` already. One has to be taken back before another one is added.
    case tooMany
    /// They could not be read or kept.
    case store(StoreError)
}

/// The operations that the user likes best, the latest first.
///
/// They are the user's own: they do not expire, and need no connection, for each keeps its sentence. There are at most five hundred;
/// one more is refused, because none of them may vanish unasked.
public struct FavoritePhrases: Sendable {
    /// The number of favorites that are kept.
    public static let most = 500

    /// The one entry of all favorites.
    static let entries = EntryFamily("foaas:favorites", codec: CacheCodec<[FavoritePhrase]>.json)

    /// The changes of the store that has them.
    let changes: StoreChanges
    private let cache: Cache<[FavoritePhrase]>
    private let now: @Sendable () -> Date

    init(_ store: any CacheStore, now: @escaping @Sendable () -> Date) {
        cache = Cache(key: Self.entries.prefix, in: store, policy: .forever, now: now)
        changes = store.changes
        self.now = now
    }

    /// The favorites, the latest first.
    ///
    /// - Throws: `StoreError` when they cannot be read.
    public func all() async throws(StoreError) -> [FavoritePhrase] { try await cache.load()?.value ?? [] }

    /// Makes an operation a favorite, or takes that back, in one atomic step. One that is a favorite already stays where it is.
    ///
    /// - Throws: ``FavoriteError`` when there are ``most`` already, when the change could not be kept, or when the favorites cannot be
    ///   read: they are never replaced unread.
    func set(_ operation: FoaasOperation, isFavorite: Bool, answer: Foaas?) async throws(FavoriteError) {
        let new = FavoritePhrase(operation: operation, answer: answer, keptAt: now())
        let kept: [FavoritePhrase]?
        do throws(StoreError) {
            // Damage is an error, not an empty list.
            _ = try await all()
            kept = try await cache.update { Self.changed($0 ?? [], new, isFavorite: isFavorite) }
        } catch { throw .store(error) }
        if isFavorite, kept?.contains(where: { $0.id == new.id }) != true { throw .tooMany }
    }

    /// Keeps what a favorite says. Does nothing if the operation is no favorite, or has its sentence.
    func learn(_ answer: Foaas, of operation: FoaasOperation) async throws(StoreError) {
        // Nothing is written for what is no favorite: most sentences are of others.
        guard try await all().contains(where: { $0.id == operation.id && $0.answer == nil }) else { return }
        try await cache.update { old in
            old?.map { favorite in
                guard favorite.id == operation.id, favorite.answer == nil else { return favorite }
                return FavoritePhrase(operation: favorite.operation, answer: answer, keptAt: favorite.keptAt)
            }
        }
    }

    /// The list after a change of one of its operations. A full list stays as it is.
    static func changed(
        _ list: [FavoritePhrase], _ new: FavoritePhrase, isFavorite: Bool
    ) -> [FavoritePhrase] {
        guard isFavorite else { return list.filter { $0.id != new.id } }
        return list.count >= most || list.contains { $0.id == new.id } ? list : [new] + list
    }
}
