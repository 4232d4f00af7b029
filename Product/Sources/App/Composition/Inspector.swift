import Aquifer
import Foundation

/// Lists, validates and deletes the entries that the apps save. It covers everything that they can load again, and some
/// of their own data. A store that fails hides none of the others.
///
/// Cards, payments and the outbox are excluded: the inspector never deletes any of them.
public struct Inspector: Sendable {
    /// The state of an entry.
    public enum Validity: String, Sendable, Hashable, Codable, CaseIterable {
        /// Intact, and younger than the policy's age.
        case fresh
        /// Too old.
        case expired
        /// Saved so far in the future that it is not shown: a clock is or was wrong.
        case early
        /// Damaged.
        case unreadable
        /// The beginning of a download. The next download of it resumes from there.
        case partial

        /// The validity of an entry that was saved at this date.
        init(_ savedAt: Date, _ policy: CachePolicy, _ now: Date) {
            self = policy.isFresh(savedAt, at: now) ? .fresh : policy.isExpired(savedAt, at: now) ? .expired : .early
        }
    }

    /// One entry.
    public struct Entry: Sendable, Hashable {
        /// The entry's key. For a damaged entry without a readable key, this is its place in the store.
        /// ``Inspector/delete(_:)`` takes either.
        public var key: String
        /// The kind of the entry: value or data.
        public var kind: StoredEntry.Kind
        /// The size of the entry in bytes; 0 if it is unknown.
        public var size = 0
        /// The date at which it was saved; `nil` if it is unknown.
        public var savedAt: Date?
        /// The number of reads of the entry since this process started.
        public var hits = 0
        /// The state of the entry. Only a fresh entry may be shown.
        public var validity: Validity
        /// The reason why the entry cannot be read.
        public var reason: String?
        /// True if the entry was made here, or the user chose to keep it. ``Inspector/clear()`` does not delete it.
        public var isOwn = false
    }

    /// A store that failed. Nothing in it was reported or changed after the failure.
    public struct Failure: Sendable, Hashable {
        /// The store's file or folder: `values.sqlite`.
        public var store: String
        /// The failure.
        public var error: StoreError
    }

    /// The result of an operation on every store.
    public struct Report<Value: Sendable>: Sendable {
        /// The value from the stores that did not fail.
        public var value: Value
        /// The stores that failed.
        public var failures: [Failure]

        /// A report.
        public init(value: Value, failures: [Failure] = []) {
            self.value = value
            self.failures = failures
        }
    }

    private let shelves: [any InspectedShelf]

    init(_ shelves: [any InspectedShelf]) {
        self.shelves = shelves
    }

    /// All entries, values first, then by key. Every entry is read and its checksum verified. Entries that an app saved
    /// are decoded as well.
    public func entries() async -> Report<[Entry]> {
        await each { shelf throws(StoreError) in try await shelf.entries() }.map { found in
            found.flatMap(\.self).sorted { ($0.kind.rawValue, $0.key) < ($1.kind.rawValue, $1.key) }
        }
    }

    /// Deletes every entry that is expired or unreadable, each in one atomic step, and reports their keys. What the user has made,
    /// as the favorites, is kept, damaged as it may be: that is a failure of its store.
    public func validate() async -> Report<[String]> {
        var report = Report<[String]>(value: [])
        for shelf in shelves {
            do throws(StoreError) {
                let validation = try await shelf.validate()
                report.value += validation.removed
                report.failures += validation.spared.map { Failure(store: shelf.name, error: $0) }
            } catch {
                report.failures.append(Failure(store: shelf.name, error: error))
            }
        }
        report.value.sort()
        return report
    }

    /// Deletes one entry of any store.
    ///
    /// - Returns: True if the entry existed.
    /// - Throws: The error of a store that may have the entry, if no other store has it.
    public func delete(_ key: String) async throws(StoreError) -> Bool {
        let report = await each { shelf throws(StoreError) in try await shelf.delete(key) }
        if report.value.contains(true) { return true }
        if let failure = report.failures.first { throw failure.error }
        return false
    }

    /// Deletes every entry that can be loaded again, and everything damaged but what the user has made; reports how many there were.
    public func clear() async -> Report<Int> {
        await each { shelf throws(StoreError) in
            var count = 0
            for entry in try await shelf.entries() where !entry.isOwn || entry.validity == .unreadable {
                if shelf.isSpared(entry.key) { continue }
                if try await shelf.delete(entry.key) { count += 1 }
            }
            return count
        }.map { $0.reduce(0, +) }
    }

    private func each<Value>(
        _ work: (any InspectedShelf) async throws(StoreError) -> Value
    ) async -> Report<[Value]> {
        var report = Report<[Value]>(value: [])
        for shelf in shelves {
            do throws(StoreError) { report.value.append(try await work(shelf)) } catch {
                report.failures.append(Failure(store: shelf.name, error: error))
            }
        }
        return report
    }
}

extension Inspector.Report {
    fileprivate func map<Other>(_ transform: (Value) -> Other) -> Inspector.Report<Other> {
        Inspector.Report<Other>(value: transform(value), failures: failures)
    }
}

/// What the validation of a shelf has done.
struct ShelfValidation: Sendable {
    /// The keys of the entries that were deleted.
    var removed: [String] = []
    /// The reports of the damaged entries that were kept.
    var spared: [StoreError] = []
}

/// One place that the inspector looks into.
protocol InspectedShelf: Sendable {
    /// The name of the store's file or folder in the data folder.
    var name: String { get }
    func entries() async throws(StoreError) -> [Inspector.Entry]
    /// Deletes all entries that are expired or unreadable, except for those that are spared.
    func validate() async throws(StoreError) -> ShelfValidation
    /// True if this entry is deleted by its key only: nothing can load it again.
    func isSpared(_ key: String) -> Bool
    /// Deletes an entry. Returns false if there is no entry of this key.
    func delete(_ key: String) async throws(StoreError) -> Bool
}
