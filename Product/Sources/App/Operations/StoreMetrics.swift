import Aquifer
import AquiferConcurrency

/// Counts the calls of the stores, their time and their errors.
final class StoreMetrics: Sendable {
    /// The kind of a call.
    enum Call: String, CaseIterable { case retrieve, insert, delete, update, list, persist }

    private struct Failure: Hashable {
        let store: String
        let call: Call
        let kind: String
    }

    private struct Timed: Hashable {
        let store: String
        let call: Call
    }

    private struct Counts {
        var seconds: [Timed: Histogram] = [:]
        var failures: [Failure: Int] = [:]
    }

    private struct Troubles {
        var hear: (@Sendable (Trouble) -> Void)?
        var last: [String: (StoreError, ContinuousClock.Instant)] = [:]
    }

    private let state = Locked(Counts())
    private let troubles = Locked(Troubles())

    /// A failure, for the log.
    struct Trouble: Sendable {
        let store: String
        let error: StoreError
    }

    /// The time for which a store's failure is not told again, if it is the same.
    private static let rest = Duration.seconds(60)

    /// Tells failures: each that differs from the one before, and the same one once a minute.
    func hear(_ hear: @escaping @Sendable (Trouble) -> Void) { troubles.withLock { $0.hear = hear } }

    /// Carries out a call, and counts it.
    func counting<Value>(
        _ store: String, _ call: Call, _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let begin = ContinuousClock.now
        do throws(StoreError) {
            let value = try await body()
            ended(Timed(store: store, call: call), begin, nil)
            return value
        } catch {
            ended(Timed(store: store, call: call), begin, error)
            throw error
        }
    }

    /// Carries out a read of several entries, and counts it as one. It is told as a failure if one of them could not be read.
    fileprivate func counting(
        _ store: String, _ body: () async -> [Result<StoredEntry?, StoreError>]
    ) async -> [Result<StoredEntry?, StoreError>] {
        let begin = ContinuousClock.now
        let found = await body()
        var error: StoreError?
        for case .failure(let failure) in found where error == nil { error = failure }
        ended(Timed(store: store, call: .retrieve), begin, error)
        return found
    }

    private func ended(_ timed: Timed, _ begin: ContinuousClock.Instant, _ error: StoreError?) {
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        state.withLock { state in
            state.seconds[timed, default: Histogram()].add(seconds)
            guard let error else { return }
            state.failures[Failure(store: timed.store, call: timed.call, kind: error.kind), default: 0] += 1
        }
        if let error { tell(error, of: timed.store) }
    }

    private func tell(_ error: StoreError, of store: String) {
        let hear = troubles.withLock { troubles -> (@Sendable (Trouble) -> Void)? in
            if let (last, at) = troubles.last[store], last.kind == error.kind, at + Self.rest > .now { return nil }
            troubles.last[store] = (error, .now)
            return troubles.hear
        }
        hear?(Trouble(store: store, error: error))
    }

    /// Adds all of it to a text.
    func write(to text: inout OpenMetricsText) {
        let counts = state.withLock { $0 }
        text.family("aquifer_store_seconds", .histogram, "The time of a store's calls.")
        for (timed, histogram) in counts.seconds.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.sample(histogram, [("store", timed.store), ("call", timed.call.rawValue)])
        }
        text.family("aquifer_store_errors", .counter, "Calls of a store that failed.")
        for (failure, count) in counts.failures.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.sample(count, [("store", failure.store), ("call", failure.call.rawValue), ("kind", failure.kind)])
        }
    }
}

/// A store whose calls are counted.
struct CountedStore: ForwardingStore, SeveralReads, UnflushedChanges {
    let base: any CacheStore
    private let name: String
    private let metrics: StoreMetrics

    init(_ store: any CacheStore, _ kind: StoreKind, _ metrics: StoreMetrics) {
        (base, name, self.metrics) = (store, kind.rawValue, metrics)
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        try await metrics.counting(name, .retrieve) { () async throws(StoreError) in try await base.retrieve(key) }
    }

    func retrieve(several keys: [String]) async -> [Result<StoredEntry?, StoreError>] {
        await metrics.counting(name) { await base.entries(under: keys) }
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        try await metrics.counting(name, .insert) { () async throws(StoreError) in
            try await base.insert(entry, for: key)
        }
    }

    func delete(_ key: String) async throws(StoreError) {
        try await metrics.counting(name, .delete) { () async throws(StoreError) in try await base.delete(key) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await metrics.counting(name, .update) { () async throws(StoreError) in try await base.update(key, decide) }
    }

    func updateUnflushed(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await metrics.counting(name, .update) { () async throws(StoreError) in
            try await base.updateUnflushed(key, decide)
        }
    }

    func contents() async throws(StoreError) -> StoreContents {
        try await metrics.counting(name, .list) { () async throws(StoreError) in try await base.contents() }
    }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await metrics.counting(name, .list) { () async throws(StoreError) in
            try await base.contents(prefix: prefix)
        }
    }

    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        try await metrics.counting(name, .list) { () async throws(StoreError) in
            try await base.page(prefix: prefix, after: after, limit: limit)
        }
    }

    func mostBytes() async throws(StoreError) -> Int? {
        try await metrics.counting(name, .list) { () async throws(StoreError) in try await base.mostBytes() }
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        try await metrics.counting(name, .delete) { () async throws(StoreError) in
            try await base.deleteAll(prefix: prefix)
        }
    }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        try await metrics.counting(name, .delete) { () async throws(StoreError) in try await base.remove(damaged) }
    }

    func persist() async throws(StoreError) {
        try await metrics.counting(name, .persist) { () async throws(StoreError) in try await base.persist() }
    }

    var batches: (any EntryBatches)? { base.batches.map { CountedBatches(base: $0, name: name, metrics: metrics) } }
}

/// Batches that are counted, each as one call.
private struct CountedBatches: EntryBatches {
    let base: any EntryBatches
    let name: String
    let metrics: StoreMetrics

    func retrieve(_ keys: [String]) async throws(StoreError) -> [Result<SeenEntry?, StoreError>] {
        try await metrics.counting(name, .retrieve) { () async throws(StoreError) in try await base.retrieve(keys) }
    }

    func change(_ changes: [SeenChange]) async throws(StoreError) -> [SeenEntry?] {
        try await metrics.counting(name, .update) { () async throws(StoreError) in try await base.change(changes) }
    }
}
