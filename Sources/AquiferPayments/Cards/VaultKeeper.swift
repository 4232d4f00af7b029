import Aquifer
import AquiferFoundation

/// The place where a vault keeps its cards: files of one machine, or an entry of a store that machines share.
protocol VaultKeeper: Sendable {
    /// The cards; `nil` if there is no vault. Creates nothing.
    func load() async throws(VaultError) -> [Card]?

    /// Changes the cards in one step, and stores them if `change` returns true.
    ///
    /// - Parameters:
    ///   - isMaking: True if a vault is created when there is none.
    ///   - rollback: The treatment of an older copy in the vault's place.
    ///   - change: Takes the cards, and whether they are an older copy's. It may run again, and only its last run counts.
    /// - Returns: True if the cards were stored.
    func update(
        isMaking: Bool, _ rollback: VaultRollback, _ change: @escaping @Sendable (inout [Card], _ isOlder: Bool) -> Bool
    ) async throws(VaultError) -> Bool

    /// Seals the cards with a new key, and deletes the old one.
    func rotateKey() async throws(VaultError)

    /// Forgets a deleted vault. Returns true if there was one.
    func forgetLost() async throws(VaultError) -> Bool

    /// Calls `onChange` after the cards were changed, here or elsewhere.
    ///
    /// - Returns: the observation; `nil` if there is nothing to observe yet.
    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation?
}

/// The treatment of an older copy in a vault's place.
enum VaultRollback: Sendable {
    /// It is an error.
    case refused
    /// The user accepts it as the vault.
    case accepted
}

/// A vault in files.
struct VaultInFiles: VaultKeeper {
    let storage: VaultStorage
    private let queue = SerialQueue("aquifer.vault")

    init(_ storage: VaultStorage) { self.storage = storage }

    func load() async throws(VaultError) -> [Card]? {
        try await run { storage throws(VaultError) in try storage.load()?.cards }
    }

    func update(
        isMaking: Bool, _ rollback: VaultRollback, _ change: @escaping @Sendable (inout [Card], _ isOlder: Bool) -> Bool
    ) async throws(VaultError) -> Bool {
        try await run { storage throws(VaultError) in
            var isStored = false
            try storage.update(isMaking: isMaking, rollback) { opened in
                isStored = change(&opened.cards, opened.isOlder)
                return isStored
            }
            return isStored
        }
    }

    func rotateKey() async throws(VaultError) {
        try await run { storage throws(VaultError) in
            try storage.update(isMaking: false) { opened throws(VaultError) in
                try storage.rotate(&opened)
                return true
            }
        }
    }

    func forgetLost() async throws(VaultError) -> Bool {
        try await run { storage throws(VaultError) in try storage.forgetLost() }
    }

    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? {
        let file = storage.file.path
        let folder = FilePath.folder(of: file)
        guard POSIX.exists(folder) else { return nil }
        return FolderWatch.begin(folder, names: [FilePath.name(of: file)]) { _ in onChange() }
    }

    /// Runs `body` off the cooperative threads, because it waits for files and locks.
    private func run<Value: Sendable>(
        _ body: @Sendable (VaultStorage) throws(VaultError) -> Value
    ) async throws(VaultError) -> Value {
        try await queue.run { () throws(VaultError) in try body(storage) }
    }
}
