import Aquifer
import Foundation

/// Keeps cards between payments, sealed with XChaCha20-Poly1305.
///
/// - The cards are in one file, `cards.vault`; its key is in another folder, `<vault-id>.key`. Files have mode 0600 in
///   folders of mode 0700; what others may read is refused.
/// - Any change of any byte is found, and is an error: never another card, never one card less.
/// - What returned is on the device, whole. Killed at any moment, a process leaves the cards of before or of after.
/// - What was replaced is overwritten before it is given up. A device that writes elsewhere (flash, snapshots) may
///   still keep it: sealed, and of no use without the key.
/// - Several vaults, tasks and processes may use the same files at once.
///
/// Nothing is opened before it is needed, nor made before the first card is added.
public actor CardVault {
    private let storage: VaultStorage
    private let queue = SerialQueue("aquifer.vault")

    /// - Parameters:
    ///   - folder: Where the cards are. It is this vault's own.
    ///   - keys: Where keys are. Choose a folder that is not copied along with the cards.
    ///   - patience: How long to wait while another process writes.
    ///   - makeID: Names a vault when it is made.
    public init(
        folder: URL, keys: URL, patience: Duration = .seconds(5), makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        storage = VaultStorage(
            folder: PrivateFolder(path: folder.standardizedFileURL.path),
            keys: PrivateFolder(path: keys.standardizedFileURL.path), patience: patience, makeID: makeID)
    }

    /// What may be shown of the cards, in the order they were added. Empty when nothing was ever kept.
    ///
    /// - Throws: ``VaultError``.
    public func cards() async throws(VaultError) -> [CardSummary] {
        try await run { storage throws(VaultError) in try storage.load()?.cards.map(\.summary) ?? [] }
    }

    /// A card, to pay with; `nil` if it is not kept.
    ///
    /// - Throws: ``VaultError``.
    public func card(_ id: UUID) async throws(VaultError) -> Card? {
        try await run { storage throws(VaultError) in try storage.load()?.cards.first { $0.id == id } }
    }

    /// Keeps a card. It takes the place of one with the same id or the same number.
    ///
    /// - Throws: ``VaultError``. Nothing has changed then.
    public func add(_ card: Card) async throws(VaultError) {
        try await run { storage throws(VaultError) in
            try storage.update(isMaking: true) { opened in
                let isSame = { (kept: Card) in kept.id == card.id || kept.number == card.number }
                let place = opened.cards.firstIndex(where: isSame) ?? opened.cards.endIndex
                opened.cards.removeAll(where: isSame)
                opened.cards.insert(card, at: min(place, opened.cards.endIndex))
                return true
            }
        }
    }

    /// Forgets a card: no byte of it is left in the files. False if it was not kept.
    ///
    /// - Throws: ``VaultError``.
    public func remove(_ id: UUID) async throws(VaultError) -> Bool {
        try await run { storage throws(VaultError) in
            var isRemoved = false
            try storage.update(isMaking: false) { opened in
                let count = opened.cards.count
                opened.cards.removeAll { $0.id == id }
                isRemoved = opened.cards.count < count
                return isRemoved
            }
            return isRemoved
        }
    }

    /// Seals the cards with a new key, and forgets the old one. Does nothing if nothing was ever kept.
    ///
    /// - Throws: ``VaultError``. The cards can be opened then as before.
    public func rotateKey() async throws(VaultError) {
        try await run { storage throws(VaultError) in
            try storage.update(isMaking: false) { opened throws(VaultError) in
                try storage.rotate(&opened)
                return true
            }
        }
    }

    /// Off the cooperative threads: files and locks are waited for.
    private func run<Value: Sendable>(
        _ body: @Sendable (VaultStorage) throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        let storage = storage
        return try await queue.run { () throws(VaultError) in try body(storage) }
    }
}
