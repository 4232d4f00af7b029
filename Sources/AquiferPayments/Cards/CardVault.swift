import Aquifer
import AquiferFoundation

/// Keeps cards between payments, sealed with XChaCha20-Poly1305.
///
/// The vault of one machine is a file:
///
/// - The cards are in one file, `cards.vault`. Its key is in another folder, in `<vault-id>.key`. Files have mode 0600
///   in folders of mode 0700. A file or folder that other users can access is refused.
/// - A change of any byte is detected, and is an error. The vault never returns another card, or one card less.
/// - An older copy in the vault's place is detected (``VaultError/rolledBack(path:change:last:)``): the vault contains
///   the number of its last change, and the latest number is stored beside the key. A removed card does not come back
///   unnoticed. This holds for every change that returned. A copy of vault *and* keys, both older, looks like the
///   latest.
/// - A change that returned is completely on the device. A process that is killed at any moment leaves the cards as
///   they were before or after its change. Once anybody has read the cards after it, those before it are an older copy.
/// - A change that throws was not made, with one exception: if the vault was written and its number could not be stored
///   beside the key, the change is made, and the next read or change stores the number.
/// - A deleted vault is an error (``VaultError/lost(path:)``), and not a vault without cards.
/// - The old content of a vault or key file is overwritten before it is deleted. A device that writes elsewhere (flash,
///   snapshots) may still hold it. The cards in it are sealed, and useless without the key.
/// - Several vaults, tasks and processes may use the same files at once.
///
/// No file is opened before it is needed, or created before the first card is added.
///
/// The vault of machines that share a store is an entry of it, see ``init(in:sealedWith:of:now:makeID:)``.
public actor CardVault {
    nonisolated let keeper: any VaultKeeper

    /// A vault in files.
    ///
    /// - Parameters:
    ///   - directory: The folder of the cards. It is this vault's own.
    ///   - keys: The folder of the keys. Choose one that is not copied along with the cards.
    ///   - patience: The longest wait while another process writes.
    ///   - makeID: Names a vault when it is made.
    public init(
        directory: URL, keys: URL, patience: Duration = .seconds(5), makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        keeper = VaultInFiles(
            VaultStorage(
                folder: PrivateFolder(path: directory.standardizedFileURL.path),
                keys: PrivateFolder(path: keys.standardizedFileURL.path), patience: patience, makeID: makeID))
    }

    /// A vault in a store that machines share.
    ///
    /// - Cards that several machines add or remove at once are all added and removed.
    /// - A byte that was changed, a missing key, another key, and the vault of another owner in this one's place are errors. None of
    ///   them is a vault without cards, and none is written over.
    /// - An older copy is told by each machine that has seen a later one and may write into the folder of its key. A vault
    ///   that was deleted from the store is not told: keep backups of the store.
    /// - ``rotateKey()`` throws ``VaultError/sharedKeyStays``.
    ///
    /// - Parameters:
    ///   - store: The store. It must not lose entries, and has no other entry `cards`.
    ///   - ring: The key of the machines.
    ///   - owner: The name of the owner of the cards. No two vaults that are sealed with one key have the same owner.
    ///   - now: The clock for the date of the entry.
    ///   - makeID: Names a vault when it is made.
    public init(
        in store: any CacheStore, sealedWith ring: KeyRing, of owner: String,
        now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        keeper = VaultInStore(store: store, ring: ring, owner: owner, now: now, makeID: makeID)
    }

    /// The cards as they may be shown, in the order they were added. The list is empty if no card is stored, and in no
    /// other case: a vault that cannot be read is an error.
    ///
    /// - Throws: ``VaultError``.
    public func cards() async throws(VaultError) -> [CardSummary] { try await keeper.load()?.map(\.summary) ?? [] }

    /// A card, to pay with; `nil` if it is not stored.
    ///
    /// - Throws: ``VaultError``.
    public func card(_ id: UUID) async throws(VaultError) -> Card? { try await keeper.load()?.first { $0.id == id } }

    /// Stores a card. It replaces a card with the same id or the same number.
    ///
    /// - Throws: ``VaultError``.
    public func add(_ card: Card) async throws(VaultError) {
        _ = try await keeper.update(isMaking: true, .refused) { cards, _ in
            let isSame = { (kept: Card) in kept.id == card.id || kept.number == card.number }
            let place = cards.firstIndex(where: isSame) ?? cards.endIndex
            cards.removeAll(where: isSame)
            cards.insert(card, at: min(place, cards.endIndex))
            return true
        }
    }

    /// Removes a card. No byte of it is left in the files. Returns false if it was not stored.
    ///
    /// - Throws: ``VaultError``.
    public func remove(_ id: UUID) async throws(VaultError) -> Bool {
        try await keeper.update(isMaking: false, .refused) { cards, _ in
            let count = cards.count
            cards.removeAll { $0.id == id }
            return cards.count < count
        }
    }

    /// Seals the cards with a new key, and deletes the old key. Does nothing if there is no vault.
    ///
    /// - Throws: ``VaultError``. The cards can then be opened as before.
    public func rotateKey() async throws(VaultError) { try await keeper.rotateKey() }

    /// Accepts an older copy in the vault's place as the vault.
    ///
    /// - Returns: True if there was an older copy. The latest vault is left as it is.
    /// - Throws: ``VaultError``.
    public func acceptOlder() async throws(VaultError) -> Bool {
        try await keeper.update(isMaking: false, .accepted) { _, isOlder in isOlder }
    }

    /// Removes all cards of an older copy in the vault's place. No byte of them is left in the files. If the vault was
    /// deleted, this forgets it, and the vault begins without cards.
    ///
    /// - Returns: True if there was an older copy, or a deleted vault. The latest vault is left as it is.
    /// - Throws: ``VaultError``.
    public func discardOlder() async throws(VaultError) -> Bool {
        if try await keeper.forgetLost() { return true }
        return try await keeper.update(isMaking: false, .accepted) { cards, isOlder in
            if isOlder { cards = [] }
            return isOlder
        }
    }
}
