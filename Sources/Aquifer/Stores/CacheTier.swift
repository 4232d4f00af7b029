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
        /// Counts the changes that could not be made in the copies.
        var failures = 0
        /// True while a copy may be older than the last change. Nothing is read then.
        var isDoubtful = false
        var retry: StoreObservation?
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

    /// Deletes copies and notes of what has changed. If that fails, nothing is read until all of them could be deleted.
    func forget(_ change: StoreChange) async {
        do throws(StoreError) {
            switch change {
            case .entry(let key): try await store.delete(key)
            case .prefix(let prefix): try await store.deleteAll(prefix: prefix)
            case .everything: try await store.deleteAll(prefix: "")
            }
        } catch {
            let isNew = state.withLock { state in
                state.failures += 1
                defer { state.isDoubtful = true }
                return !state.isDoubtful
            }
            if isNew { clearSoon() }
        }
    }

    private func clearSoon() {
        state.withLock { [clock] in
            $0.retry = Alarm.after(.seconds(1), on: clock) { [weak self] in Task { await self?.clear() } }
        }
    }

    private func clear() async {
        let failures = state.withLock { $0.failures }
        do throws(StoreError) { try await store.deleteAll(prefix: "") } catch { return clearSoon() }
        let isDone = state.withLock { state in
            if state.failures == failures { state.isDoubtful = false }
            return !state.isDoubtful
        }
        if !isDone { clearSoon() }
    }

    private static let noteTag = "aquifer:filling"
    private static func isNote(_ entry: StoredEntry) -> Bool { entry.validators.etag == noteTag }
}
