import Aquifer
import AquiferConcurrency
import Foundation

extension CacheStoreContract {
    static let transactionChecks =
        readChecks + commitChecks + conditionChecks + togetherChecks

    private static let readChecks = [
        Check(
            "read returns the entries in the order of the keys, and nothing where there is none", needs: .transactions
        ) { promise, subject in
            let store = try await subject.transactional()
            try await store.insert(.sample(1), for: "a")
            try await store.insert(.sample(2), for: "b")
            let found = try await store.read(["b", "none", "a", "b"])
            for (place, expected) in [StoredEntry.sample(2), nil, .sample(1), .sample(2)].enumerated() {
                try promise.same(try found[place].get()?.entry, expected, "place \(place)")
            }
            try promise.holds(found.count == 4, "\(found.count) answers")
            try promise.holds(try await store.read([]).isEmpty, "no keys have answers")
        },
        Check("a mark stays while its entry does, and another entry has another one", needs: .transactions) {
            promise, subject in
            let store = try await subject.transactional()
            var marks: [Data?] = []
            for number in 1...3 {
                try await store.insert(.sample(number), for: "a")
                marks.append(try await store.mark("a"))
                try await store.insert(.sample(7), for: "b")
                try promise.holds(try await store.mark("a") == marks.last, "a write of another key changed the mark")
            }
            try promise.holds(Set(marks).count == 3 && !marks.contains(nil), "\(marks)")
        },
        Check("read of a prefix returns pages of entries with their bytes, in one order", needs: .durability) {
            promise, subject in
            let store = try await subject.durable()
            for number in 1...5 { try await store.insert(.sample(number), for: "list/\(number)") }
            try await store.insert(.sample(9), for: "other")
            var (found, after, pages) = ([String: StoredEntry](), String?.none, 0)
            repeat {
                let page = try await store.read(prefix: "list/", after: after, limit: 2)
                try promise.holds(page.entries.count <= 2 && page.damaged.isEmpty, "\(page)")
                for (key, seen) in page.entries {
                    try promise.holds(try await store.mark(key) == seen.get().mark, "the mark of \(key) is another one")
                    found[key] = try seen.get().entry
                }
                (after, pages) = (page.next, pages + 1)
            } while after != nil && pages < 10
            for number in 1...5 { try promise.same(found["list/\(number)"], .sample(number), "list/\(number)") }
            try promise.holds(found.count == 5, "\(found.keys.sorted())")
        },
        Check("a damaged entry is told by its key, and hides no other one", needs: .damagedTransactions) {
            promise, subject in
            let store = try await subject.transactional()
            for key in ["a", "b", "c"] { try await store.insert(.sample(1), for: key) }
            try await subject.corrupt?("b", store)
            let found = try await store.read(["a", "b", "c"])
            try promise.same(try found[0].get()?.entry, .sample(1))
            try promise.same(try found[2].get()?.entry, .sample(1))
            guard case .failure(.unreadable) = found[1] else {
                throw ContractViolation(promise.text, "found \(found[1])")
            }
        },
    ]

    private static let commitChecks = [
        Check("commit inserts, replaces, deletes and keeps, and returns the marks", needs: .transactions) {
            promise, subject in
            let store = try await subject.transactional()
            for key in ["replaced", "deleted", "kept"] { try await store.insert(.sample(1), for: key) }
            let kept = try await store.mark("kept")
            let commit = try await store.commit([
                EntryWrite("new", .replace(.sample(2))), EntryWrite("replaced", .replace(.sample(3))),
                EntryWrite("deleted", .delete),
                EntryWrite("kept", .keep), EntryWrite("none", .delete),
            ])
            let keys = ["new", "replaced", "deleted", "kept", "none"]
            let expected: [StoredEntry?] = [.sample(2), .sample(3), nil, .sample(1), nil]
            var marks: [Data?] = []
            for (key, entry) in zip(keys, expected) {
                try promise.same(try await store.retrieve(key), entry, key)
                marks.append(key == "kept" ? nil : try await store.mark(key))
            }
            let isKept = try await store.mark("kept") == kept
            try promise.holds(commit == .made(marks) && isKept, "\(commit), and not \(marks)")
            try promise.holds(try await store.commit([]) == .made([]), "a commit of nothing")
        },
        Check(
            "commit tells each change before it returns, and nothing of what it keeps or refuses", needs: .transactions
        ) { promise, subject in
            let store = try await subject.transactional()
            try await store.insert(.sample(1), for: "kept")
            let told = Recorder<StoreChange>()
            let observation = store.changes.observe { told.append($0) }
            defer { observation.cancel() }
            _ = try await store.commit([
                EntryWrite("a", .replace(.sample(1))), EntryWrite("kept", .keep), EntryWrite("b", .replace(.sample(2))),
            ])
            for key in ["a", "b"] {
                try promise.holds(told.all.contains { $0.concerns(key) }, "\(key) was not told: \(told.all)")
            }
            let before = told.all.count
            _ = try await store.commit([EntryWrite("c", .replace(.sample(1))), EntryWrite("a", if: .absent, .keep)])
            try promise.holds(told.all.count == before, "told \(told.all.dropFirst(before))")
        },
        Check("commit refuses an empty key and one that is named twice, and changes nothing", needs: .transactions) {
            promise, subject in
            let store = try await subject.transactional()
            for keys in [["a", ""], ["a", "b", "a"]] {
                _ = try await promise.fails("a commit of \(keys)") { () async throws(StoreError) in
                    _ = try await store.commit(keys.map { EntryWrite($0, .replace(.sample(1))) })
                }
                try promise.same(try await store.retrieve("a"), nil)
            }
            _ = try await promise.fails("a read of an empty key") { () async throws(StoreError) in
                _ = try await store.read(["a", ""])
            }
        },
        Check("what is committed with the next is seen at once", needs: .transactions) { promise, subject in
            let store = try await subject.transactional()
            _ = try await store.commit([EntryWrite("a", .replace(.sample(1)))], .withNext)
            try promise.same(try await store.retrieve("a"), .sample(1))
            _ = try await store.commit([EntryWrite("b", .replace(.sample(2)))])
            try promise.same(try await store.retrieve("a"), .sample(1), "after the next")
        },
    ]

    private static let conditionChecks = [
        Check("commit changes nothing, and names the keys, if an entry is not as it must be", needs: .transactions) {
            promise, subject in
            let store = try await subject.transactional()
            try await store.insert(.sample(1), for: "a")
            let old = EntryWrite.Condition.seen(try await store.mark("a") ?? Data())
            try await store.insert(.sample(2), for: "a")
            let refusals: [(String, EntryWrite.Condition)] = [
                ("a", old), ("a", .absent), ("none", old), ("a", .seen(Data())),
            ]
            for (key, condition) in refusals {
                for change in [EntryChange.keep, .replace(.sample(3)), .delete] {
                    let commit = try await store.commit([
                        EntryWrite("b", .replace(.sample(4))), EntryWrite(key, if: condition, change),
                    ])
                    try promise.holds(commit == .refused([key]), "\(key) if \(condition): \(commit)")
                }
            }
            try promise.same(try await store.retrieve("a"), .sample(2))
            try promise.same(try await store.retrieve("b"), nil)
        },
        Check("commit changes an entry that is as it was seen", needs: .transactions) { promise, subject in
            let store = try await subject.transactional()
            guard case .made(let first) = try await store.commit([EntryWrite("a", if: .absent, .replace(.sample(1)))]),
                let mark = first[0]
            else { throw ContractViolation(promise.text, "an absent entry was not inserted") }
            let second = try await store.commit([
                EntryWrite("a", if: .seen(mark), .replace(.sample(2))), EntryWrite("b", if: .absent, .keep),
            ])
            guard case .made(let marks) = second, let next = marks[0] else {
                throw ContractViolation(promise.text, "\(second)")
            }
            try promise.same(try await store.retrieve("a"), .sample(2))
            try promise.holds(
                try await store.commit([EntryWrite("a", if: .seen(next), .delete)]) == .made([nil]),
                "it was not deleted")
            try promise.same(try await store.retrieve("a"), nil)
        },
        Check(
            "a damaged entry is not absent, and can be replaced and deleted",
            needs: .damagedTransactions
        ) {
            promise, subject in
            for change in [EntryChange.replace(.sample(2)), .delete] {
                let store = try await subject.transactional()
                try await store.insert(.sample(1), for: "a")
                try await subject.corrupt?("a", store)
                let commit = try await store.commit([EntryWrite("a", if: .absent, change)])
                try promise.holds(commit == .refused(["a"]), "\(commit)")
                guard case .made = try await store.commit([EntryWrite("a", change)]) else {
                    throw ContractViolation(promise.text, "\(change)")
                }
                try promise.same(try await store.retrieve("a"), change == .delete ? nil : .sample(2))
            }
        },
    ]

    private static let togetherChecks = [
        Check("what one commit writes is seen by one read together", needs: .transactions) { promise, subject in
            let store = try await subject.transactional()
            _ = try await store.commit(["a", "b"].map { EntryWrite($0, .replace(.sample(0))) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 1...100 {
                        _ = try await store.commit(["a", "b"].map { EntryWrite($0, .replace(.sample(number))) })
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        for _ in 0..<100 {
                            let found = try await store.read(["b", "a"]).map { try $0.get()?.entry }
                            try promise.same(found[0], found[1], "two entries of one commit")
                        }
                    }
                }
                try await group.waitForAll()
            }
        },
        Check("of many commits of an entry as it was seen, each is made once", needs: .transactions) {
            promise, subject in
            let stores = try await subject.transactionals()
            _ = try await stores[0].commit([EntryWrite("count", .replace(.counter(0)))])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    let store = stores[task % stores.count]
                    group.addTask {
                        for turn in 0..<10 {
                            while true {
                                guard let seen = try await store.read(["count"])[0].get() else { return }
                                let next = (seen.entry.number ?? 0) + 1
                                let commit = try await store.commit([
                                    EntryWrite("count", if: .seen(seen.mark), .replace(.counter(next))),
                                    EntryWrite("item/\(next)", if: .absent, .replace(.sample(task * 10 + turn))),
                                ])
                                if case .made = commit { break }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await stores[0].retrieve("count")?.number
            let items = try await stores[0].read((1...80).map { "item/\($0)" }).compactMap { try $0.get()?.entry }
            try promise.holds(
                count == 80 && items.count == 80, "80 commits made \(count ?? -1) and \(items.count) items")
            let different = Set(items.map(\.bytes))
            try promise.holds(different.count == 80, "\(different.count) different items")
        },
        Check("what one commit writes is in one page together", needs: .durability) { promise, subject in
            let store = try await subject.durable()
            _ = try await store.commit(["a", "b"].map { EntryWrite($0, .replace(.sample(0))) })
            async let writing: Void = {
                for number in 1...100 {
                    _ = try await store.commit(["a", "b"].map { EntryWrite($0, .replace(.sample(number))) })
                }
            }()
            for _ in 0..<100 {
                let page = try await store.read(prefix: "", after: nil, limit: 10).entries.map {
                    try $0.seen.get().entry
                }
                try promise.holds(page.count == 2, "\(page.count) entries")
                try promise.same(page[0], page[1], "two entries of one page")
            }
            try await writing
        },
        Check("of two commits that ask what the other one writes, one is made", needs: .transactions) {
            promise, subject in
            let stores = try await subject.transactionals()
            for turn in 0..<20 {
                let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for (store, own, other) in [
                        (stores[0], "x\(turn)", "y\(turn)"), (stores[stores.count - 1], "y\(turn)", "x\(turn)"),
                    ] {
                        group.addTask {
                            let commit = try await store.commit([
                                EntryWrite(own, .replace(.sample(1))), EntryWrite(other, if: .absent, .keep),
                            ])
                            if case .made = commit { return true }
                            return false
                        }
                    }
                    var made = 0
                    for try await isMade in group where isMade { made += 1 }
                    return made
                }
                try promise.holds(made == 1, "\(made) were made")
            }
        },
    ]
}

extension CacheStoreContract.Subject {
    /// A store of this subject that has transactions.
    fileprivate func transactional() async throws -> any TransactionalStore {
        guard let store = try await make() as? any TransactionalStore else {
            throw ContractViolation("a store of transactions", "the subject's stores have none")
        }
        return store
    }

    /// A store of this subject that is durable.
    fileprivate func durable() async throws -> any DurableStore {
        guard let store = try await make() as? any DurableStore else {
            throw ContractViolation("a durable store", "the subject's stores are not")
        }
        return store
    }

    /// Two instances on one place, if there may be two.
    fileprivate func transactionals() async throws -> [any TransactionalStore] {
        let store = try await transactional()
        guard let other = try await reopen?(store) as? any TransactionalStore else { return [store] }
        return [store, other]
    }
}

extension TransactionalStore {
    fileprivate func mark(_ key: String) async throws -> Data? { try await read([key])[0].get()?.mark }
}
