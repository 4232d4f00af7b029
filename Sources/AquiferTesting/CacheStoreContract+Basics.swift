import Aquifer
import Foundation

extension CacheStoreContract {
    static let retrieveChecks = [
        Check("retrieve delivers nothing from an empty store") { promise, subject in
            try promise.same(try await subject.make().retrieve("key"), nil)
        },
        Check("retrieve delivers nothing twice from an empty store") { promise, subject in
            let store = try await subject.make()
            try promise.same(try await store.retrieve("key"), nil, "first")
            try promise.same(try await store.retrieve("key"), nil, "then")
        },
        Check("retrieve delivers what was inserted") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(), for: "key")
            try promise.same(try await store.retrieve("key"), .sample())
        },
        Check("retrieve delivers the same twice: it has no side effects") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(), "first")
            try promise.same(try await store.retrieve("key"), .sample(), "then")
            let count = try await store.entries().count
            try promise.holds(count == 1, "\(count) entries afterwards")
        },
        Check("an entry comes back exactly: bytes, date to the bit, validators, kind, origin") { promise, subject in
            let store = try await subject.make()
            for (index, entry) in exactEntries.enumerated() {
                try await store.insert(entry, for: "key")
                try promise.same(try await store.retrieve("key"), entry, "entry \(index):")
            }
        },
        Check("entries of no byte to a megabyte come back whole") { promise, subject in
            let store = try await subject.make()
            for size in [0, 1, 2, 31, 32, 33, 1000, 4039, 4040, 4041, 4096, 65_536, 1_048_576] {
                let entry = StoredEntry.sample(size, size: size)
                try await store.insert(entry, for: "key")
                try promise.same(try await store.retrieve("key"), entry, "\(size) bytes:")
            }
        },
    ]

    static let insertChecks = [
        Check("insert overrides the entry before") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.insert(.sample(2, size: 50), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(2, size: 50))
            let count = try await store.entries().count
            try promise.holds(count == 1, "\(count) entries afterwards")
        },
        Check("insert leaves other keys alone") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "one")
            try await store.insert(.sample(2), for: "two")
            try promise.same(try await store.retrieve("one"), .sample(1))
            try promise.same(try await store.retrieve("two"), .sample(2))
        },
        Check("an acknowledged insert is seen by another instance at once", needs: .reopen) { promise, subject in
            guard let reopen = subject.reopen else { return }
            let store = try await subject.make()
            let other = try await reopen(store)
            try await store.insert(.sample(1), for: "key")
            try promise.same(try await other.retrieve("key"), .sample(1), "after insert")
            try await other.delete("key")
            try promise.same(try await store.retrieve("key"), nil, "after delete")
        },
        Check("an insert that fails says so, twice alike, and leaves the entry before", needs: .makeFailing) {
            promise, subject in
            guard let store = try await subject.makeFailing?(["key": .sample(1)]) else { return }
            let first = try await promise.fails("insert") { () async throws(StoreError) in
                try await store.insert(.sample(2), for: "key")
            }
            let second = try await promise.fails("the second insert") { () async throws(StoreError) in
                try await store.insert(.sample(2), for: "key")
            }
            try promise.holds(first == second, "first \(first), then \(second)")
            try promise.same(try await store.retrieve("key"), .sample(1))
        },
        Check("an insert that fails leaves no entry where there was none", needs: .makeFailing) { promise, subject in
            guard let store = try await subject.makeFailing?([:]) else { return }
            _ = try await promise.fails("insert") { () async throws(StoreError) in
                try await store.insert(.sample(), for: "key")
            }
            try promise.same(try await store.retrieve("key"), nil)
        },
    ]

    static let deleteChecks = [
        Check("delete does nothing when there is nothing") { promise, subject in
            let store = try await subject.make()
            try await store.delete("key")
            try promise.same(try await store.retrieve("key"), nil)
        },
        Check("delete leaves nothing under its key, and other keys alone") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.insert(.sample(2), for: "other")
            try await store.delete("key")
            try promise.same(try await store.retrieve("key"), nil)
            try promise.same(try await store.retrieve("other"), .sample(2))
        },
        Check("a deleted key can be inserted again") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.delete("key")
            try await store.insert(.sample(2), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(2))
        },
        Check("a delete that fails says so, twice alike, and leaves the entry", needs: .makeFailing) {
            promise, subject in
            guard let store = try await subject.makeFailing?(["key": .sample(1)]) else { return }
            let first = try await promise.fails("delete") { () async throws(StoreError) in
                try await store.delete("key")
            }
            let second = try await promise.fails("the second delete") { () async throws(StoreError) in
                try await store.delete("key")
            }
            try promise.holds(first == second, "first \(first), then \(second)")
            try promise.same(try await store.retrieve("key"), .sample(1))
        },
    ]

    static let entriesChecks = [
        Check("entries of an empty store are none") { promise, subject in
            let found = try await subject.make().entries()
            try promise.holds(found.isEmpty, "\(found)")
        },
        Check("entries say key, size, date, validators and kind of each") { promise, subject in
            let store = try await subject.make()
            var expected: Set<StoredEntry.Summary> = []
            for (index, entry) in exactEntries.enumerated() {
                try await store.insert(entry, for: "key \(index)")
                expected.insert(
                    StoredEntry.Summary(
                        key: "key \(index)", size: entry.bytes.count, savedAt: entry.savedAt,
                        validators: entry.validators, kind: entry.kind))
            }
            let found = try await store.entries()
            try promise.holds(found.count == expected.count && Set(found) == expected, "\(found)")
        },
        Check("entries leave out what was deleted") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "one")
            try await store.insert(.sample(2), for: "two")
            try await store.delete("one")
            let keys = try await store.entries().map(\.key)
            try promise.holds(keys == ["two"], "\(keys)")
        },
    ]

    private static let exactEntries: [StoredEntry] = [
        StoredEntry(bytes: Data(), savedAt: Date(timeIntervalSinceReferenceDate: 0)),
        StoredEntry(bytes: Data([0]), savedAt: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), kind: .data),
        StoredEntry(bytes: Data("SQLite format 3\0".utf8), savedAt: Date(timeIntervalSinceReferenceDate: -0.0)),
        StoredEntry(
            bytes: Data([0, 255, 0]), savedAt: Date(timeIntervalSinceReferenceDate: 1.0.nextUp * 700_000_000),
            validators: Validators(etag: "W/\"é\u{0}\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"), kind: .data),
        StoredEntry(
            bytes: Data([1]), savedAt: .distantPast, validators: Validators(etag: "", lastModified: nil)),
        StoredEntry(
            bytes: Data([1]), savedAt: .distantFuture, validators: Validators(etag: nil, lastModified: "")),
        StoredEntry(
            bytes: Data([1, 2]), savedAt: Date(timeIntervalSinceReferenceDate: .leastNonzeroMagnitude),
            validators: Validators(etag: String(repeating: "e", count: 5000))),
        StoredEntry(
            bytes: Data([7]), savedAt: Date(timeIntervalSinceReferenceDate: 0),
            origin: .init(sentAt: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2))),
        StoredEntry(
            bytes: Data([8]), savedAt: Date(timeIntervalSinceReferenceDate: 1),
            validators: Validators(etag: "e", lastModified: "l"), kind: .data,
            origin: .init(
                sentAt: Date(timeIntervalSinceReferenceDate: 1e300),
                answeredAt: Date(timeIntervalSinceReferenceDate: -0.0))),
        StoredEntry(
            bytes: Data([10]), savedAt: Date(timeIntervalSinceReferenceDate: 2), asking: .init(askAt: .distantPast)),
        StoredEntry(
            bytes: Data([11]), savedAt: Date(timeIntervalSinceReferenceDate: 3), validators: Validators(etag: "e"),
            kind: .data, origin: .init(sentAt: Date(timeIntervalSinceReferenceDate: 4)),
            asking: .init(askAt: Date(timeIntervalSinceReferenceDate: 0.1 + 0.2), isImmutable: true)),
        StoredEntry(
            bytes: Data([12]), savedAt: Date(timeIntervalSinceReferenceDate: 5),
            origin: .init(
                sentAt: Date(timeIntervalSinceReferenceDate: 6), answeredAt: Date(timeIntervalSinceReferenceDate: 7)),
            asking: .init(
                askAt: Date(timeIntervalSinceReferenceDate: 1e300),
                staleUntil: Date(timeIntervalSinceReferenceDate: -0.0))),
        StoredEntry(bytes: Data([13]), savedAt: .distantPast, asking: .init(staleUntil: .distantFuture)),
        StoredEntry(bytes: Data([14]), savedAt: .distantPast, kind: .data, asking: .init(isImmutable: true)),
        // A slice does not start at 0.
        StoredEntry(bytes: Data([9, 8, 7, 6])[2...], savedAt: Date(timeIntervalSinceReferenceDate: 1e300)),
    ]
}
