import Aquifer
import AquiferConcurrency
import Foundation

extension CacheStoreContract {
    static let updateChecks = [
        Check("update sees nothing in an empty store, and stores what it decides") { promise, subject in
            let store = try await subject.make()
            let seen = Recorder<Result<StoredEntry?, StoreError>>()
            try await store.update("key") { found in
                seen.append(found)
                return .replace(.sample(1))
            }
            try promise.holds(seen.all == [.success(nil)], "saw \(seen.all)")
            try promise.same(try await store.retrieve("key"), .sample(1))
        },
        Check("update sees the entry, and keeps, replaces or deletes it") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            let seen = Recorder<Result<StoredEntry?, StoreError>>()
            for (change, expected) in [
                (EntryChange.keep, StoredEntry.sample(1)), (.replace(.sample(2)), .sample(2)), (.delete, nil),
            ] {
                try await store.update("key") { found in
                    seen.append(found)
                    return change
                }
                try promise.same(try await store.retrieve("key"), expected, "after \(change)")
            }
            try promise.holds(
                seen.all == [.success(.sample(1)), .success(.sample(1)), .success(.sample(2))], "saw \(seen.all)")
        },
        Check("update throws what its decision throws, and changes nothing") { promise, subject in
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            let runs = Recorder<Int>()
            for thrown in [StoreError.failed(operation: "decide", reason: "no"), .busy(path: "none")] {
                let error = try await promise.fails("update") { () async throws(StoreError) in
                    try await store.update("key") { _ throws(StoreError) in
                        runs.append(1)
                        throw thrown
                    }
                }
                try promise.holds(error == thrown, "\(error)")
            }
            try promise.holds(runs.all.count == 2, "two decisions ran \(runs.all.count) times")
            try promise.same(try await store.retrieve("key"), .sample(1))
            try await store.insert(.sample(2), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(2), "afterwards")
        },
        Check("of many updates at once none is lost") { promise, subject in
            let store = try await subject.make()
            try await increment("key", in: [store], tasks: 8, times: 25)
            let count = try await store.retrieve("key")?.number
            try promise.holds(count == 200, "200 increments made \(count.map(String.init) ?? "nothing")")
        },
        Check("of many updates at once through several instances none is lost", needs: .reopen) { promise, subject in
            guard let reopen = subject.reopen else { return }
            let store = try await subject.make()
            let stores = [store, try await reopen(store), try await reopen(store)]
            try await increment("key", in: stores, tasks: 6, times: 20)
            let count = try await store.retrieve("key")?.number
            try promise.holds(count == 120, "120 increments made \(count.map(String.init) ?? "nothing")")
        },
        Check("an update that fails says so, and leaves the entry before", needs: .makeFailing) { promise, subject in
            guard let store = try await subject.makeFailing?(["key": .sample(1)]) else { return }
            for change in [EntryChange.replace(.sample(2)), .delete] {
                _ = try await promise.fails("update") { () async throws(StoreError) in
                    try await store.update("key") { _ in change }
                }
            }
            try promise.same(try await store.retrieve("key"), .sample(1))
        },
    ]

    /// Adds one to the number under `key`, `tasks * times` times.
    private static func increment(_ key: String, in stores: [any CacheStore], tasks: Int, times: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for _ in 0..<times {
                        try await stores[task % stores.count].update(key) { found throws(StoreError) in
                            .replace(.counter((try found.get()?.number ?? 0) + 1))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

extension StoredEntry {
    static func counter(_ number: Int) -> StoredEntry {
        StoredEntry(bytes: Data("\(number)".utf8), savedAt: Date(timeIntervalSinceReferenceDate: Double(number)))
    }

    var number: Int? { Int(String(decoding: bytes, as: UTF8.self)) }
}

/// Collects what closures saw.
final class Recorder<Element: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    private var elements: [Element] = []

    func append(_ element: Element) {
        lock.withLock { elements.append(element) }
    }

    var all: [Element] { lock.withLock { elements } }
}
