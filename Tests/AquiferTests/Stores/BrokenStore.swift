import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// A store in memory that keeps the contract except for one flaw.
final class BrokenStore: CacheStore {
    enum Flaw: Sendable, CaseIterable {
        case tornRead, lostUpdate, swallowsFailure, forgetsOverride, deletesOnRetrieve, deletesOnFailure, equalStrings
        case emptyKey, roundsDates, trustsDamage, anyOrder
        case tellsNothing, tellsEarly, tellsKept, tellsFailures, tellsNoRemoval
        case saysMissing, hidesDamage, removesNothing, removesWhatIsGood
        case prefixesOfCharacters, patternsForPrefixes, keepsDamage, forgetsDamage, keepsAllForTheEmptyPrefix
        case leavesOutBetweenPages, repeatsOnPages, pagesByPlace, forgetsDamageOnPages, saysTooFewBytes
    }

    private let base = MemoryStore()
    /// The changes of a store that tells wrongly.
    private let own = StoreChanges()
    private let looks = Locked(0)
    private let flaw: Flaw?
    private let fault = Locked<StoreError?>(nil)
    private let previous = Locked<[String: Data]>([:])
    private let damaged = Locked<Set<String>>([])
    /// The keys of entries whose header is damaged.
    private let headless = Locked<Set<String>>([])
    /// An insert that is carried out behind the delete that was issued after it.
    private let late = Locked<(key: String, entry: StoredEntry)?>(nil)

    init(_ flaw: Flaw?) { self.flaw = flaw }

    static func subject(_ flaw: Flaw?) -> CacheStoreContract.Subject {
        CacheStoreContract.Subject(
            make: { BrokenStore(flaw) },
            makeFailing: { entries in
                let store = BrokenStore(flaw)
                for (key, entry) in entries { try await store.base.insert(entry, for: key) }
                store.fault.withLock { $0 = .full(path: "/none") }
                return store
            },
            corrupt: { key, store in (store as? BrokenStore)?.damaged.withLock { _ = $0.insert(key) } },
            damages: [
                .init("the header") { key, store in
                    (store as? BrokenStore)?.damaged.withLock { _ = $0.insert(key) }
                    (store as? BrokenStore)?.headless.withLock { _ = $0.insert(key) }
                }
            ])
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if flaw == .emptyKey && key.isEmpty { return nil }
        if flaw == .saysMissing && headless.withLock({ $0.contains(key) }) { return nil }
        if damaged.withLock({ $0.contains(key) }) {
            if flaw != .trustsDamage { throw .unreadable(key: key, reason: "damaged") }
            var entry = try await base.retrieve(key)
            entry?.bytes[0] ^= 1
            return entry
        }
        var entry = try await base.retrieve(place(key))
        switch flaw {
        case .tellsEarly: looks.withLock { $0 += 1 }
        case .tornRead:
            if let now = entry?.bytes, let before = previous.withLock({ $0[key] }) {
                entry?.bytes = before.prefix(before.count / 2) + now.suffix(now.count / 2)
            }
        case .deletesOnRetrieve: try await base.delete(key)
        case .roundsDates:
            let seconds = entry?.savedAt.timeIntervalSinceReferenceDate ?? 0
            entry?.savedAt = Date(timeIntervalSinceReferenceDate: seconds.rounded())
        default: break
        }
        return entry
    }

    func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) {
        if flaw == .emptyKey && key.isEmpty { return }
        if try await fails(key) { return }
        if flaw == .tellsEarly {
            let before = looks.withLock { $0 }
            own.post(.entry(key))
            let isSeen = await eventually { looks.withLock { $0 } != before }
            guard isSeen else { throw .failed(operation: "save", reason: "nobody looked") }
        }
        if flaw == .forgetsOverride, try await base.retrieve(key) != nil { return }
        if flaw == .anyOrder { return late.withLock { $0 = (key, entry) } }
        let before = try await base.retrieve(place(key))
        try await base.insert(entry, for: place(key))
        previous.withLock { $0[key] = before?.bytes }
        repair(key)
    }

    func delete(_ key: String) async throws(StoreError) {
        if flaw == .emptyKey && key.isEmpty { return }
        if try await fails(key) { return }
        try await base.delete(place(key))
        repair(key)
        if let (key, entry) = late.withLock({ $0.take() }) { try await base.insert(entry, for: key) }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if flaw == .emptyKey && key.isEmpty { return }
        if try await fails(key) { return }
        if flaw == .lostUpdate {
            let found = try await base.retrieve(key)
            await Task.yield()
            if case .replace(let entry) = try decide(.success(found)) { try await base.insert(entry, for: key) }
            return
        }
        let isDamaged = damaged.withLock { $0.contains(key) }
        let isChanged = Locked(false)
        try await base.update(place(key)) { found throws(StoreError) in
            let change = try decide(isDamaged ? .failure(.unreadable(key: key, reason: "damaged")) : found)
            isChanged.withLock { $0 = change != .keep }
            return change
        }
        if flaw == .tellsKept { base.changes.post(.entry(key)) }
        if isChanged.withLock({ $0 }) { repair(key) }
    }

    func contents() async throws(StoreError) -> StoreContents {
        var contents = try await base.contents()
        let headless = headless.withLock { $0 }
        contents.entries.removeAll { headless.contains($0.key) }
        if flaw != .hidesDamage {
            contents.damaged = headless.map { DamagedEntry(key: $0, place: $0, reason: "damaged") }
        }
        return contents
    }

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        var contents = try await contents()
        if flaw == .forgetsDamage { contents.damaged = [] }
        switch flaw {
        case .prefixesOfCharacters: contents.entries = contents.entries.filter { $0.key.hasPrefix(prefix) }
        default: contents = contents.beginning(with: prefix)
        }
        return contents
    }

    /// Pages in the order of the keys' bytes. Damage is on the first one.
    func page(prefix: String, after: String?, limit: Int) async throws(StoreError) -> StorePage {
        let contents = try await contents(prefix: prefix)
        let all = contents.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        var rest = all[...]
        if flaw == .pagesByPlace {
            rest = rest.dropFirst(after.flatMap { Int($0) } ?? 0)
        } else if let after {
            rest = rest.drop { !after.utf8.lexicographicallyPrecedes($0.key.utf8) }
            if flaw == .leavesOutBetweenPages { rest = rest.dropFirst() }
            if flaw == .repeatsOnPages { rest = all[max(0, rest.startIndex - 1)...] }
        }
        let damaged = after == nil && flaw != .forgetsDamageOnPages ? contents.damaged : []
        let entries = Array(rest.prefix(limit))
        let place = flaw == .pagesByPlace ? "\(rest.startIndex + limit)" : entries.last?.key
        return StorePage(
            StoreContents(entries: entries, damaged: damaged), next: rest.count > limit ? place : nil)
    }

    func mostBytes() async throws(StoreError) -> Int? {
        let total = try await base.entries().map(\.size).reduce(0, +)
        return flaw == .saysTooFewBytes ? total / 2 : total
    }

    func deleteAll(prefix: String) async throws(StoreError) {
        if try await fails(prefix) { return }
        if flaw == .keepsAllForTheEmptyPrefix && prefix.isEmpty { return }
        for entry in try await base.contents().entries {
            let key = Array(entry.key.utf8)
            let isMatch =
                flaw == .patternsForPrefixes
                ? key.count >= prefix.utf8.count
                    && zip(key, prefix.utf8).allSatisfy { $0 == $1 || $1 == UInt8(ascii: "_") }
                : entry.key.hasBytes(prefix)
            guard isMatch, flaw != .keepsDamage || !headless.withLock({ $0.contains(entry.key) }) else { continue }
            try await base.delete(entry.key)
            repair(entry.key)
        }
    }

    func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        if flaw == .removesNothing { return }
        guard flaw == .removesWhatIsGood || headless.withLock({ $0.contains(damaged.place) }) else { return }
        try await base.delete(damaged.key ?? damaged.place)
        repair(damaged.place)
    }

    var changes: StoreChanges {
        switch flaw {
        case .tellsNothing, .tellsEarly, .tellsNoRemoval: own
        default: base.changes
        }
    }

    private func place(_ key: String) -> String {
        flaw == .equalStrings ? key.precomposedStringWithCanonicalMapping : key
    }

    private func repair(_ key: String) {
        damaged.withLock { _ = $0.remove(key) }
        headless.withLock { _ = $0.remove(key) }
    }

    /// True if the call is to do nothing and report nothing.
    private func fails(_ key: String) async throws(StoreError) -> Bool {
        guard let fault = fault.withLock({ $0 }) else { return false }
        if flaw == .swallowsFailure { return true }
        if flaw == .tellsFailures { base.changes.post(.entry(key)) }
        if flaw == .deletesOnFailure { try await base.delete(key) }
        throw fault
    }
}
