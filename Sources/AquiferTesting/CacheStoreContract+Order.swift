import Aquifer
import AquiferConcurrency
import Foundation

extension CacheStoreContract {
    static let orderChecks = [
        Check("side effects run in the order in which they were issued") { promise, subject in
            guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
            let store = try await subject.make()
            let order = Recorder<Int>()
            // An immediate task runs on this thread until it must wait: the calls are issued in this order,
            // and none waits for the one before.
            let tasks = (0..<100).map { number in
                Task.immediate {
                    switch number % 4 {
                    case 0: try await store.insert(.counter(number), for: "key")
                    case 1: try await store.delete("key")
                    default:
                        try await store.update("key") { found throws(StoreError) in
                            order.append(number)
                            let before = try found.get()?.number
                            // After a delete nothing; after another update that update's number.
                            let expected = number % 4 == 2 ? nil : number - 1
                            return before == expected ? .replace(.counter(number)) : .keep
                        }
                    }
                }
            }
            for task in tasks { try await task.value }
            let expected = (0..<100).filter { $0 % 4 > 1 }
            try promise.holds(order.all == expected, "updates ran as \(order.all)")
            try promise.same(try await store.retrieve("key"), .counter(99), "in the end")
        },
        Check("side effects never overlap", needs: .embedded) { promise, subject in
            let store = try await subject.make()
            let inside = Recorder<Bool>()
            let overlap = Overlap()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for turn in 0..<10 {
                            try await store.update("key \(task)") { _ in
                                inside.append(overlap.enter())
                                defer { overlap.leave() }
                                return .replace(.sample(turn))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try promise.holds(inside.all.count == 80, "80 updates decided \(inside.all.count) times")
            try promise.holds(!inside.all.contains(true), "two updates decided at the same time")
        },
        Check("readers see the old or the new entry whole, never a mix") { promise, subject in
            let store = try await subject.make()
            try await readWhileWriting(promise, readers: [store], writers: [store])
        },
        Check("readers through other instances see entries whole", needs: .reopen) { promise, subject in
            guard let reopen = subject.reopen else { return }
            let store = try await subject.make()
            let other = try await reopen(store)
            try await readWhileWriting(promise, readers: [other, store], writers: [store, other])
        },
    ]

    private static func readWhileWriting(
        _ promise: Promise, readers: [any CacheStore], writers: [any CacheStore]
    ) async throws {
        // Sizes that need more than one page, block or call, so that half of one can be seen if there is a half.
        let versions = (0..<6).map { StoredEntry.sample($0, size: [90_000, 10, 40_000, 5_000, 70_000, 1][$0]) }
        for store in writers { try await store.insert(versions[0], for: "key") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, store) in writers.enumerated() {
                group.addTask {
                    for turn in 0..<40 { try await store.insert(versions[(turn + index) % 6], for: "key") }
                }
            }
            for store in readers {
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<100 {
                            let found = try await store.retrieve("key")
                            try promise.holds(found.map(versions.contains) ?? false, "found another, or nothing")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Notices when it is entered twice.
private final class Overlap: @unchecked Sendable {
    private let lock = Lock()
    private var count = 0

    /// True if someone else is inside.
    func enter() -> Bool {
        lock.withLock {
            count += 1
            return count > 1
        }
    }

    func leave() {
        lock.withLock { count -= 1 }
    }
}
