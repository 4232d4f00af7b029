import Aquifer
import AquiferConcurrency

extension CacheStoreContract {
    static let changeChecks = [
        Check("each change is told before its call returns") { promise, subject in
            let store = try await subject.make()
            for key in ["key", "Ключ", "a/b c"] {
                let told = Told(store)
                try await store.insert(.sample(1), for: key)
                try told.expect(key, "an insert", promise)
                try await store.insert(.sample(2), for: key)
                try told.expect(key, "an insert over an entry", promise)
                try await store.update(key) { _ in .replace(.sample(3)) }
                try told.expect(key, "an update", promise)
                try await store.update(key) { _ in .delete }
                try told.expect(key, "an update that deletes", promise)
                try await store.insert(.sample(4), for: key)
                try told.expect(key, "an insert", promise)
                try await store.delete(key)
                try told.expect(key, "a delete", promise)
            }
        },
        Check("nothing is told of a call that changes nothing") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            let told = Told(store)
            try await store.update("key") { _ in .keep }
            try await store.update("none") { _ in .keep }
            _ = try await promise.fails("update") { () async throws(StoreError) in
                try await store.update("key") { _ throws(StoreError) in throw .busy(path: "none") }
            }
            _ = try await promise.fails("insert") { () async throws(StoreError) in
                try await store.insert(.sample(2), for: "")
            }
            _ = try await store.retrieve("key")
            _ = try await store.contents()
            try told.expectNothing(promise)
        },
        Check("nothing is told of a change that failed", needs: .makeFailing) { promise, subject in
            guard let store = try await subject.makeFailing?(["key": .sample(1)]) else { return }
            let told = Told(store)
            _ = try await promise.fails("insert") { () async throws(StoreError) in
                try await store.insert(.sample(2), for: "key")
            }
            _ = try await promise.fails("update") { () async throws(StoreError) in
                try await store.update("key") { _ in .replace(.sample(2)) }
            }
            _ = try await promise.fails("delete") { () async throws(StoreError) in try await store.delete("key") }
            try told.expectNothing(promise)
        },
        Check("an observer who looks at once finds what it was told of") { promise, subject in
            let store = try await subject.make()
            let looks = Recorder<Task<StoredEntry?, any Error>>()
            let observation = store.changes.observe { _ in looks.append(Task { try await store.retrieve("key") }) }
            try await store.insert(.sample(1), for: "key")
            // Something else may have been told before, such as the beginning of a scope: the last look counts.
            let inserted = looks.all
            try promise.holds(!inserted.isEmpty, "an insert was not told")
            for look in inserted.suffix(1) { try promise.same(try await look.value, .sample(1), "after an insert") }
            try await store.update("key") { _ in .replace(.sample(2)) }
            // The insert may have been told once more meanwhile, before the update was made.
            let updated = looks.all.dropFirst(inserted.count)
            try promise.holds(!updated.isEmpty, "an update was not told")
            for look in updated.suffix(1) { try promise.same(try await look.value, .sample(2), "after an update") }
            observation.cancel()
        },
        Check("every observer is told, and one that has ended hears nothing more") { promise, subject in
            let store = try await subject.make()
            let (first, second, third) = (Told(store), Told(store), Told(store))
            try await store.insert(.sample(1), for: "key")
            for told in [first, second, third] { try told.expect("key", "an insert", promise) }
            second.end()
            try await store.insert(.sample(2), for: "other")
            // The first insert may be told twice, and the second time until the end.
            try second.expectNothing(of: "other", promise)
            for told in [first, third] { try told.expect("other", "an insert", promise) }
        },
        Check("the removal of a damaged entry is told", needs: .damages) { promise, subject in
            for damage in subject.damages {
                let store = try await subject.make()
                try await store.insert(.sample(1), for: "key")
                try await damage.run("key", store)
                let told = Told(store)
                for damaged in try await store.contents().damaged {
                    try await store.remove(damaged)
                    try told.expect("key", "after damage of \(damage.name), a removal", promise)
                }
            }
        },
    ]
}

/// What a store has told, since the last look.
private final class Told: Sendable {
    private let changes = Locked<[StoreChange]>([])
    private let observation: StoreObservation

    init(_ store: any CacheStore) {
        observation = store.changes.observe { [changes] change in changes.withLock { $0.append(change) } }
    }

    func end() { observation.cancel() }

    func expect(_ key: String, _ moment: String, _ promise: Promise) throws {
        let told = take()
        try promise.holds(told.contains { $0.concerns(key) }, "\(moment) of \"\(key)\" told \(told)")
    }

    func expectNothing(_ promise: Promise) throws {
        let told = take()
        try promise.holds(told.isEmpty, "it told \(told)")
    }

    func expectNothing(of key: String, _ promise: Promise) throws {
        let told = take()
        try promise.holds(!told.contains(.entry(key)), "it told \(told)")
    }

    private func take() -> [StoreChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }
}
