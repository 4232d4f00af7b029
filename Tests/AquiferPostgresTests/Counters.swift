import Aquifer
import AquiferConcurrency
import Foundation
import Testing

/// Counters that several stores raise, one step at a time. Each step is named, so that a lost or doubled one is seen.
final class Counters: Sendable {
    private let stores: [any CacheStore]
    private let state = Locked((acknowledged: [String: Set<String>](), made: 0, isOver: false))

    init(_ stores: [any CacheStore]) { self.stores = stores }

    var made: Int { state.withLock { $0.made } }
    /// True until ``count(times:)`` has ended, also before it has begun.
    var isBusy: Bool { state.withLock { !$0.isOver } }

    /// The number of tasks that count.
    static let tasks = 6

    /// Adds a step to one of four lists, `times` times by each task.
    func count(times: Int) async throws {
        defer { state.withLock { $0.isOver = true } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.tasks {
                group.addTask { [stores, state] in
                    for number in 0..<times {
                        let (key, step) = ("list \((task + number) % 4)", "\(task).\(number)")
                        try await stores[task % stores.count].update(key) { found throws(StoreError) in
                            let steps = try found.get().map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
                            return .replace(entry(steps + " " + step))
                        }
                        state.withLock {
                            $0.acknowledged[key, default: []].insert(step)
                            $0.made += 1
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Each acknowledged step is in its list, once, and no other one is.
    func judge(_ store: (any CacheStore)? = nil) async throws {
        for (key, steps) in state.withLock({ $0.acknowledged }) {
            let found = try #require(try await (store ?? stores[0]).retrieve(key))
            let all = String(decoding: found.bytes, as: UTF8.self).split(separator: " ").map(String.init)
            #expect(all.count == Set(all).count, "\(key) has a step twice")
            #expect(Set(all) == steps)
        }
    }
}
