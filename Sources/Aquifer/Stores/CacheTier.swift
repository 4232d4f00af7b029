import AquiferConcurrency
import AquiferFoundation

/// A store that holds copies of the entries of another one, for a ``TieredStore``.
///
/// A reader who finds no copy first leaves a note, then reads the store below, and replaces the note with what it has found. A change of
/// the entry deletes note and copy afterwards. So no copy is older than the last change that was told, whatever order things happen in.
final class CacheTier: Sendable {
    private let store: any CacheStore
    private let clock: any Clock<Duration>
    private let makeNote: @Sendable () -> UUID
    private let state = Locked(State())

    private struct State {
        /// True while a copy may be older than the last change. Nothing is read then, and no change waits for the store.
        var isDoubtful = false
        /// The changes since all entries are being deleted, or were; `nil` before that begins.
        var later: [StoreChange]?
        var retry: StoreObservation?

        /// Adds a change that is made in the copies later. Among too many, all entries are deleted once more.
        mutating func postpone(_ change: StoreChange) {
            guard let later else { return }
            self.later = later.count < 1_000 ? later + [change] : [.everything]
        }
    }

    init(_ store: any CacheStore, clock: any Clock<Duration>, makeNote: @escaping @Sendable () -> UUID) {
        self.store = store
        self.clock = clock
        self.makeNote = makeNote
    }

    enum Found {
        case copy(StoredEntry)
        /// There is none. With a note, the reader may leave one.
        case nothing(note: StoredEntry?)
    }

    /// The copy, or a note in its place.
    func read(_ key: String) async -> Found {
        if state.withLock({ $0.isDoubtful }) { return .nothing(note: nil) }
        do throws(StoreError) {
            if let found = try await store.retrieve(key), !Self.isNote(found) { return .copy(found) }
        } catch {
            // Damage is replaced. A store that cannot be read is not written to either.
            guard case .unreadable = error else { return .nothing(note: nil) }
        }
        let note = StoredEntry(
            bytes: Data(makeNote().uuidString.utf8), savedAt: Date(timeIntervalSince1970: 0),
            validators: Validators(etag: Self.noteTag))
        // Without the note no copy is left.
        do throws(StoreError) { try await store.insert(note, for: key) } catch { return .nothing(note: nil) }
        return .nothing(note: note)
    }

    /// Replaces a note with what was found after it was left.
    func fill(_ key: String, _ note: StoredEntry, _ entry: StoredEntry?) async {
        // The note stays if this fails: the next reader replaces it.
        try? await store.update(key) { found throws(StoreError) in
            guard case .success(note) = found else { return .keep }
            guard let entry, !Self.isNote(entry) else { return .delete }
            return .replace(entry)
        }
    }

    /// Deletes copies and notes of what has changed. If that fails, the store is out of use until all of them were deleted.
    func forget(_ change: StoreChange) async {
        let isPostponed = state.withLock { state in
            if state.isDoubtful { state.postpone(change) }
            return state.isDoubtful
        }
        if isPostponed { return }
        do throws(StoreError) { try await delete(change) } catch {
            let isNew = state.withLock { state in
                state.postpone(change)
                defer { state.isDoubtful = true }
                return !state.isDoubtful
            }
            if isNew { clearSoon() }
        }
    }

    private func delete(_ change: StoreChange) async throws(StoreError) {
        switch change {
        case .entry(let key): try await store.delete(key)
        case .prefix(let prefix): try await store.deleteAll(prefix: prefix)
        case .everything: try await store.deleteAll(prefix: "")
        }
    }

    private func clearSoon() {
        state.withLock { [clock] in
            $0.retry = Alarm.after(.seconds(1), on: clock) { [weak self] in Task { await self?.clear() } }
        }
    }

    /// Deletes all entries, and then those of the changes that have come meanwhile. After that the store is in use again.
    private func clear() async {
        state.withLock { $0.later = [.everything] }
        while let change = nextLater() {
            do throws(StoreError) { try await delete(change) } catch {
                state.withLock { $0.later = nil }
                return clearSoon()
            }
        }
    }

    /// The next change to make in the copies; `nil` if all are made, and the copies can be trusted.
    private func nextLater() -> StoreChange? {
        state.withLock { state in
            guard let next = state.later?.first else {
                (state.isDoubtful, state.later) = (false, nil)
                return nil
            }
            state.later?.removeFirst()
            return next
        }
    }

    private static let noteTag = "aquifer:filling"
    private static func isNote(_ entry: StoredEntry) -> Bool { entry.validators.etag == noteTag }
}
