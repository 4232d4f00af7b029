import Aquifer
import AquiferConcurrency
import Foundation

/// A store for tests that reads and changes several entries at once (`CacheStore.batches`), over any other one.
///
/// It shows a user of batches what a shared store does: an entry that somebody has changed since it was seen is not changed.
///
/// ```swift
/// let outbox = Outbox(in: BatchingStore(MemoryStore()), client: client)
/// ```
public struct BatchingStore: ForwardingStore, EntryBatches {
    /// The store that keeps the entries.
    public let base: any CacheStore
    private let calls = Locked((reads: 0, changes: 0))
    private let beforeChange: @Sendable ([SeenChange]) async -> Void

    /// A store in front of `base`.
    ///
    /// - Parameters:
    ///   - base: the store that keeps the entries.
    ///   - beforeChange: called before each step that changes something, after what it changes was read.
    public init(_ base: any CacheStore, beforeChange: @escaping @Sendable ([SeenChange]) async -> Void = { _ in }) {
        (self.base, self.beforeChange) = (base, beforeChange)
    }

    /// Itself.
    public var batches: (any EntryBatches)? { self }

    /// The number of steps so far that have read, and that have changed.
    public var steps: (reads: Int, changes: Int) { calls.withLock { $0 } }

    /// See `EntryBatches.retrieve(_:)`.
    public func retrieve(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        calls.withLock { $0.reads += 1 }
        var found: [Result<SeenEntry?, StoreError>] = []
        for key in keys {
            do throws(StoreError) {
                found.append(.success(try await base.retrieve(key).map { SeenEntry(entry: $0, mark: Data()) }))
            } catch {
                guard case .unreadable = error else { throw error }
                found.append(.failure(error))
            }
        }
        return found
    }

    /// See `EntryBatches.change(_:)`.
    public func change(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?] {
        calls.withLock { $0.changes += 1 }
        await beforeChange(changes)
        var made: [SeenEntry?] = []
        for change in changes {
            let isMade = try await base.decide(change.key) { found throws(StoreError) -> (EntryChange, Bool) in
                // A damaged entry is not the one that was seen.
                guard case .success(change.seen.entry?) = found else { return (.keep, false) }
                return (change.replacement.map { .replace($0) } ?? .delete, true)
            }
            made.append(isMade ? SeenEntry(entry: change.replacement ?? change.seen.entry, mark: Data()) : nil)
        }
        return made
    }
}
