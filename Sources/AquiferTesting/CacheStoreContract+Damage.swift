import Aquifer
import Foundation

extension CacheStoreContract {
    static let damageChecks = [
        Check("a damaged entry is an error, the same twice, and never a value", needs: .corrupt) { promise, subject in
            let store = try await damaged(subject)
            let first = try await promise.fails("retrieve") { () async throws(StoreError) in
                _ = try await store.retrieve("key")
            }
            let second = try await promise.fails("the second retrieve") { () async throws(StoreError) in
                _ = try await store.retrieve("key")
            }
            try promise.holds(first == second, "first \(first), then \(second)")
            try promise.holds(isUnreadable(first), "\(first)")
            try promise.same(try await store.retrieve("other"), .sample(2), "the other key")
        },
        Check("update is told of a damaged entry, and may keep it", needs: .corrupt) { promise, subject in
            let store = try await damaged(subject)
            let seen = Recorder<Result<StoredEntry?, StoreError>>()
            try await store.update("key") { found in
                seen.append(found)
                return .keep
            }
            let error = try await promise.fails("retrieve afterwards") { () async throws(StoreError) in
                _ = try await store.retrieve("key")
            }
            try promise.holds(seen.all == [.failure(error)], "saw \(seen.all)")
        },
        Check("insert repairs a damaged entry", needs: .corrupt) { promise, subject in
            let store = try await damaged(subject)
            try await store.insert(.sample(3), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(3))
        },
        Check("delete removes a damaged entry", needs: .corrupt) { promise, subject in
            let store = try await damaged(subject)
            try await store.delete("key")
            try promise.same(try await store.retrieve("key"), nil)
        },
        Check("update repairs or removes a damaged entry", needs: .corrupt) { promise, subject in
            let replaced = try await damaged(subject)
            try await replaced.update("key") { _ in .replace(.sample(3)) }
            try promise.same(try await replaced.retrieve("key"), .sample(3), "after replace")
            let deleted = try await damaged(subject)
            try await deleted.update("key") { _ in .delete }
            try promise.same(try await deleted.retrieve("key"), nil, "after delete")
        },
        Check("entries go on listing the others beside a damaged one", needs: .corrupt) { promise, subject in
            let keys = try await damaged(subject).entries().map(\.key)
            // A list reads headers only: it may still name an entry whose bytes are damaged.
            try promise.holds(keys.contains("other") && Set(keys).isSubset(of: ["key", "other"]), "\(keys)")
        },
    ]

    private static func damaged(_ subject: Subject) async throws -> any CacheStore {
        let store = try await subject.make()
        try await store.insert(.sample(1), for: "key")
        try await store.insert(.sample(2), for: "other")
        try await subject.corrupt?("key", store)
        return store
    }

    private static func isUnreadable(_ error: StoreError) -> Bool {
        if case .unreadable("key", _) = error { true } else { false }
    }
}
