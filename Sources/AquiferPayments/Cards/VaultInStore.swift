import Aquifer
import AquiferCrypto
import AquiferFoundation

/// A vault in an entry of a store that machines share: the header and the box of ``VaultHeader``, sealed with the key of a
/// ``KeyRing``.
///
/// - A change is one step of the store, so that machines that add cards at once lose none.
/// - The box is sealed for its owner: in the place of another user's vault it does not open.
/// - Each machine keeps the number of the last change that it has seen beside its key, if it may write there. A vault with a
///   smaller number is an older copy. A machine that has seen none of its changes takes it as it is.
struct VaultInStore: VaultKeeper {
    /// The key of the entry.
    static let key = "cards"
    private static let place = "the vault in the shared store"

    let store: any CacheStore
    let ring: KeyRing
    let owner: String
    let now: @Sendable () -> Date
    let makeID: @Sendable () -> UUID

    private struct Opened {
        let header: VaultHeader
        let content: VaultBox.Opened
    }

    func load() async throws(VaultError) -> [Card]? {
        guard let opened = try await opened(.refused) else { return nil }
        await note(opened.content.change, of: opened.header.vault)
        return opened.content.cards
    }

    func update(
        isMaking: Bool, _ rollback: VaultRollback, _ change: @escaping @Sendable (inout [Card], _ isOlder: Bool) -> Bool
    ) async throws(VaultError) -> Bool {
        // The number of the last change is read before the entry: no change that is noted is later than the entry.
        let known = try await opened(rollback)
        if known == nil, !isMaking { return false }
        let key = try await ring.key()
        var last = VaultCounter.Reading.missing
        if let known { last = try await seen(known.header.vault) }
        let (made, date, lastSeen) = (makeID(), now(), last)
        let done: Result<Stored?, VaultError>
        do throws(StoreError) {
            done = try await store.decide(Self.key) {
                found throws(StoreError) -> (EntryChange, Result<Stored?, VaultError>) in
                let entry = try found.get()
                do throws(VaultError) {
                    let before = try entry.map { entry throws(VaultError) in try open(entry, key) }
                    if before == nil, !isMaking { return (.keep, .success(nil)) }
                    let header = VaultHeader(vault: before?.header.vault ?? made, key: key)
                    let number = before?.content.change ?? 0
                    let isKnown = before?.header.vault == known?.header.vault
                    var floor: UInt64 = 0
                    if isKnown, case .number(let number) = lastSeen { floor = number }
                    guard rollback == .accepted || number >= floor else {
                        throw .rolledBack(path: Self.place, change: number, last: floor)
                    }
                    var cards = before?.content.cards ?? []
                    guard change(&cards, number < floor || isKnown && lastSeen == .damaged) else {
                        return (.keep, .success(nil))
                    }
                    let next = try Self.number(after: max(number, floor))
                    let bytes =
                        try header.bytes
                        + VaultBox.seal(cards, change: next, with: key, header: header.bytes, beside: label)
                    return (.replace(StoredEntry(bytes: bytes, savedAt: date)), .success(Stored(header.vault, next)))
                } catch { return (.keep, .failure(error)) }
            }
        } catch { throw Self.error(error) }
        guard let stored = try done.get() else { return false }
        // To accept an older copy is to note its number: without that, nothing was accepted.
        if rollback == .accepted {
            try await noted(stored.change, of: stored.vault)
        } else {
            await note(stored.change, of: stored.vault)
        }
        return true
    }

    /// - Throws: ``VaultError/sharedKeyStays``, always.
    func rotateKey() async throws(VaultError) { throw .sharedKeyStays }

    /// Does nothing: nothing tells a vault that was deleted from the store.
    func forgetLost() async throws(VaultError) -> Bool { false }

    func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? {
        store.changes.observe { change in if change.concerns(Self.key) { onChange() } }
    }

    private struct Stored: Sendable {
        let vault: UUID
        let change: UInt64

        init(_ vault: UUID, _ change: UInt64) { (self.vault, self.change) = (vault, change) }
    }

    private var label: Data { KeyRing.label(owner) }

    private static func number(after last: UInt64) throws(VaultError) -> UInt64 {
        guard last < UInt64.max else { throw .damaged(path: place) }
        return last + 1
    }

    // MARK: Opening

    /// The vault, checked against the number that this machine has seen last.
    private func opened(_ rollback: VaultRollback) async throws(VaultError) -> Opened? {
        guard var opened = try await read() else { return nil }
        if rollback == .accepted { return opened }
        let last: UInt64
        switch try await seen(opened.header.vault) {
        case .number(let number) where opened.content.change < number: last = number
        case .number, .missing: return opened
        // Nothing tells whether it is the latest.
        case .damaged: throw .rolledBack(path: Self.place, change: opened.content.change, last: nil)
        }
        // Another machine or process may have changed it between the two readings. The number is older than this one.
        guard let again = try await read() else { return nil }
        opened = again
        guard opened.content.change < last else { return opened }
        throw .rolledBack(path: Self.place, change: opened.content.change, last: last)
    }

    private func read() async throws(VaultError) -> Opened? {
        let entry: StoredEntry?
        do throws(StoreError) { entry = try await store.retrieve(Self.key) } catch { throw Self.error(error) }
        guard let entry else { return nil }
        return try open(entry, try await ring.key())
    }

    private func open(_ entry: StoredEntry, _ key: SealingKey) throws(VaultError) -> Opened {
        let bytes = Data(entry.bytes)
        let header = try VaultHeader(reading: bytes, path: Self.place)
        guard header.key == key.fingerprint else { throw .wrongKey(path: Self.place) }
        let content = try VaultBox.open(
            bytes.dropFirst(VaultHeader.length), with: key, header: header, beside: label, path: Self.place)
        return Opened(header: header, content: content)
    }

    /// Damage that the store finds is damage of the vault.
    private static func error(_ error: StoreError) -> VaultError {
        if case .unreadable = error { .damaged(path: place) } else { VaultError(error) }
    }

    // MARK: The number of the last change that this machine has seen

    private func seen(_ vault: UUID) async throws(VaultError) -> VaultCounter.Reading {
        let counter = VaultCounter(of: vault, in: ring.folder)
        return try await ring.onDisk { () throws(VaultError) in try counter.read() }
    }

    /// Notes the number of a change. A machine that cannot write beside its key knows of no older copy.
    private func note(_ number: UInt64, of vault: UUID) async {
        // A number that cannot be noted is noted by the next call.
        try? await noted(number, of: vault)
    }

    private func noted(_ number: UInt64, of vault: UUID) async throws(VaultError) {
        let (counter, folder) = (VaultCounter(of: vault, in: ring.folder), ring.folder)
        try await ring.onDisk { () throws(VaultError) in
            guard try counter.read() != .number(number) else { return }
            try folder.exclusively(.seconds(1)) { () throws(VaultError) in
                if case .number(let last) = try counter.read(), last >= number { return }
                try counter.prepare(number)
                try counter.commit()
            }
        }
    }
}
