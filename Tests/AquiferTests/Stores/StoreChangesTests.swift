import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The changes of a store", .timeLimit(.minutes(10)))
struct StoreChangesTests {
    private let changes = StoreChanges()
    private let told = Locked<[StoreChange]>([])

    private func observe(_ changes: StoreChanges) -> StoreObservation {
        changes.observe { [told] change in told.withLock { $0.append(change) } }
    }

    @Test("a change concerns the key itself, the keys that begin so, or all, compared byte by byte")
    func concerns() {
        #expect(StoreChange.entry("user/4").concerns("user/4"))
        #expect(!StoreChange.entry("user/4").concerns("user/42"))
        #expect(StoreChange.prefix("user/").concerns("user/4"))
        #expect(StoreChange.prefix("user/").concerns("user/\u{301}"))
        #expect(!StoreChange.prefix("user/4/").concerns("user/42/a"))
        #expect(StoreChange.everything.concerns("user/4"))
        #expect(!StoreChange.entry("\u{e9}").concerns("e\u{301}"))
        #expect(StoreChange.entry("\u{e9}") != .entry("e\u{301}"))
        #expect(Set([StoreChange.entry("\u{e9}"), .entry("e\u{301}"), .entry("\u{e9}"), .prefix("\u{e9}")]).count == 3)
    }

    @Test("an observation ends when it is cancelled, and when it is released")
    func ends() {
        var first: StoreObservation? = observe(changes)
        let second = observe(changes)
        changes.post(.entry("1"))
        withExtendedLifetime(first) {}
        first = nil
        changes.post(.entry("2"))
        second.cancel()
        second.cancel()
        changes.post(.entry("3"))
        #expect(told.withLock { $0 } == [.entry("1"), .entry("1"), .entry("2")])
    }

    @Test("an observer may end itself or another one, begin one, and post, while it is told")
    func reentrant() {
        let held = Locked<[StoreObservation]>([])
        let other = observe(changes)
        held.withLock { $0.append(other) }
        let first = changes.observe { [changes, told] change in
            held.withLock { ended in
                defer { ended = [] }
                return ended
            }.forEach { $0.cancel() }
            guard change == .everything else { return }
            let new = changes.observe { change in told.withLock { $0.append(change) } }
            held.withLock { $0.append(new) }
            changes.post(.entry("inner"))
        }
        changes.post(.everything)
        first.cancel()
        changes.post(.entry("after"))
        let all = told.withLock { $0 }.filter { $0 != .everything }
        #expect(all.isEmpty)
    }

    @Test("a watch begins with the first observer, and ends with the last one")
    func watch() {
        let events = Locked<[String]>([])
        let changes = StoreChanges(whileObserved: { changes in
            events.withLock { $0.append("begin") }
            return StoreObservation { events.withLock { $0.append("end") } }
        })
        changes.post(.everything)
        let first = observe(changes)
        let second = observe(changes)
        first.cancel()
        #expect(events.withLock { $0 } == ["begin"])
        second.cancel()
        #expect(events.withLock { $0 } == ["begin", "end"])
        let third = observe(changes)
        #expect(events.withLock { $0 } == ["begin", "end", "begin"])
        third.cancel()
        #expect(events.withLock { $0 }.last == "end")
    }

    @Test("an observer releases what it holds when it ends")
    func releases() {
        final class Held: Sendable {}
        weak var weakly: Held?
        let observation: StoreObservation
        do {
            let held = Held()
            weakly = held
            observation = changes.observe { _ in withExtendedLifetime(held) {} }
        }
        #expect(weakly != nil)
        observation.cancel()
        #expect(weakly == nil)
    }

    @Test("many threads observe, post and leave at once")
    func many() async {
        let changes = StoreChanges(whileObserved: { _ in StoreObservation {} })
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    let heard = Locked(0)
                    for number in 0..<200 {
                        let observation = changes.observe { change in
                            if change == .entry("\(task)-\(number)") { heard.withLock { $0 += 1 } }
                        }
                        changes.post(.entry("\(task)-\(number)"))
                        observation.cancel()
                    }
                    return heard.withLock { $0 }
                }
            }
            for await heard in group { #expect(heard == 200) }
        }
    }

    @Test("an eviction is told")
    func evictions() async throws {
        let store = EvictingStore(MemoryStore(), bound: 100)
        let bytes = StoredEntry(bytes: Data(count: 60), savedAt: Date(timeIntervalSince1970: 0), kind: .data)
        try await store.insert(bytes, for: "old")
        let observation = observe(store.changes)
        try await store.insert(bytes, for: "new")
        #expect(told.withLock { $0 } == [.entry("new"), .entry("old")])
        observation.cancel()
    }

    @Test("a delete of nothing tells nothing in memory")
    func nothing() async throws {
        let store = MemoryStore()
        let observation = observe(store.changes)
        try await store.delete("none")
        try await store.update("none") { _ in .delete }
        #expect(told.withLock { $0 }.isEmpty)
        observation.cancel()
    }
}
