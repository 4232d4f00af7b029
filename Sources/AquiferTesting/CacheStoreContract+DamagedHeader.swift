import Aquifer
import Foundation

/// "Missing" and "damaged" are different answers, in lists too.
extension CacheStoreContract {
    static let damagedHeaderChecks = [
        Check("an entry is never said to be missing, whatever of it is damaged", needs: .damages) { promise, subject in
            try await each(subject, promise) { store, name in
                switch await retrieved("key", store) {
                case .success(let found): try promise.same(found, .sample(1), "\(name):")
                case .failure(let error): try promise.holds(isUnreadable(error), "\(name): \(error)")
                }
                let seen = Recorder<Bool>()
                try await store.update("key") { found in
                    if case .success(nil) = found { seen.append(false) }
                    return .keep
                }
                try promise.holds(seen.all.isEmpty, "\(name): update saw nothing")
                try promise.same(try await store.retrieve("other"), .sample(2), "\(name), the other key:")
            }
        },
        Check("contents name every entry, whole or damaged", needs: .damages) { promise, subject in
            try await each(subject, promise) { store, name in
                let contents = try await store.contents()
                try promise.holds(
                    contents.entries.count + contents.damaged.count == 2
                        && contents.entries.contains { $0.key == "other" },
                    "\(name): \(contents)")
                try promise.holds(contents.damaged.allSatisfy { $0.key != "other" }, "\(name): \(contents.damaged)")
                let again = try await store.contents()
                try promise.holds(
                    Set(again.damaged) == Set(contents.damaged), "\(name): then \(again.damaged)")
            }
        },
        Check("remove leaves nothing of a damaged entry, and the others alone", needs: .damages) { promise, subject in
            try await each(subject, promise) { store, name in
                for damaged in try await store.contents().damaged {
                    try await store.remove(damaged)
                    try await store.remove(damaged)
                    switch await retrieved("key", store) {
                    case .success(let found): try promise.same(found, nil, "\(name):")
                    case .failure(let error): try promise.holds(false, "\(name), after remove: \(error)")
                    }
                }
                let contents = try await store.contents()
                try promise.holds(contents.damaged.isEmpty, "\(name): \(contents.damaged) left")
                try promise.same(try await store.retrieve("other"), .sample(2), "\(name), the other key:")
                try await store.insert(.sample(3), for: "key")
                try promise.same(try await store.retrieve("key"), .sample(3), "\(name), stored again:")
            }
        },
        Check("remove leaves what was stored in a damaged entry's place", needs: .damages) { promise, subject in
            try await each(subject, promise) { store, name in
                let damaged = try await store.contents().damaged
                try await store.insert(.sample(3), for: "key")
                for entry in damaged { try await store.remove(entry) }
                try promise.same(try await store.retrieve("key"), .sample(3), "\(name):")
                let contents = try await store.contents()
                try promise.holds(
                    contents.damaged.isEmpty && contents.entries.count == 2, "\(name): \(contents)")
            }
        },
        Check("insert and delete repair whatever is damaged", needs: .damages) { promise, subject in
            try await each(subject, promise) { store, name in
                try await store.insert(.sample(3, size: 40), for: "key")
                try promise.same(try await store.retrieve("key"), .sample(3, size: 40), "\(name), after insert:")
                try await store.delete("key")
                try promise.same(try await store.retrieve("key"), nil, "\(name), after insert and delete:")
            }
            try await each(subject, promise) { store, name in
                try await store.delete("key")
                try promise.same(try await store.retrieve("key"), nil, "\(name), after delete:")
                try await store.insert(.sample(3), for: "key")
                try promise.same(try await store.retrieve("key"), .sample(3), "\(name), after delete and insert:")
            }
        },
        Check("contents of a store without damage have none") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.remove(DamagedEntry(key: "key", place: "nowhere", reason: "made up"))
            let contents = try await store.contents()
            try promise.holds(contents.damaged.isEmpty && contents.entries.count == 1, "\(contents)")
        },
    ]

    /// Runs a check on a store for each way of damaging the entry `key` beside `other`.
    private static func each(
        _ subject: Subject, _ promise: Promise,
        _ body: (_ store: any CacheStore, _ name: String) async throws -> Void
    ) async throws {
        for damage in subject.damages {
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.insert(.sample(2), for: "other")
            try await damage.run("key", store)
            try await body(store, damage.name)
        }
    }

    private static func retrieved(_ key: String, _ store: any CacheStore) async -> Result<StoredEntry?, StoreError> {
        do throws(StoreError) { return .success(try await store.retrieve(key)) } catch { return .failure(error) }
    }

    private static func isUnreadable(_ error: StoreError) -> Bool {
        if case .unreadable("key", _) = error { true } else { false }
    }
}
