import Aquifer
import Foundation

/// Listing and deleting by prefix. A prefix is bytes: neither characters, nor a pattern.
extension CacheStoreContract {
    static let prefixChecks = [
        Check("contents of a prefix are the entries whose keys begin with its bytes") { promise, subject in
            let store = try await filled(subject)
            let all = try await store.contents().entries
            try expect(promise, all.map(\.key), Set(keyBytes), "in all:")
            for prefix in prefixes {
                let contents = try await store.contents(prefix: prefix)
                let found = contents.entries.map(\.key)
                try expect(promise, found, beginning(prefix), "contents of \(prefix.debugDescription):")
                try promise.holds(
                    Set(contents.entries).isSubset(of: all), "\(prefix.debugDescription): other summaries")
                try promise.holds(contents.damaged.isEmpty, "\(contents.damaged)")
            }
        },
        Check("deleteAll deletes the entries whose keys begin with its bytes, and no other") { promise, subject in
            let store = try await filled(subject)
            var left = Set(keyBytes)
            for prefix in prefixes {
                try await store.deleteAll(prefix: prefix)
                if beginning(prefix).isEmpty { continue }
                left.subtract(beginning(prefix))
                let found = try await store.contents().entries.map(\.key)
                try expect(promise, found, left, "after \(prefix.debugDescription):")
            }
            for (number, key) in prefixKeys.enumerated() {
                let expected = left.contains(Data(key.utf8)) ? StoredEntry.sample(number) : nil
                try promise.same(try await store.retrieve(key), expected, "\(key.debugDescription):")
            }
            try await store.insert(.sample(7), for: "user/4/again")
            try promise.same(try await store.retrieve("user/4/again"), .sample(7), "stored again:")
        },
        Check("the empty prefix lists and deletes everything") { promise, subject in
            let store = try await filled(subject)
            let (all, some) = (try await store.contents(), try await store.contents(prefix: ""))
            try promise.holds(Set(all.entries) == Set(some.entries), "\(some.entries.map(\.key))")
            try await store.deleteAll(prefix: "")
            let left = try await store.contents()
            try promise.holds(left.entries.isEmpty && left.damaged.isEmpty, "\(left) are left")
            for key in prefixKeys { try promise.same(try await store.retrieve(key), nil, "\(key.debugDescription):") }
            try await store.insert(.sample(1), for: "key")
            try promise.same(try await store.retrieve("key"), .sample(1), "stored again:")
        },
        Check("deleteAll is told to observers of its keys before it returns") { promise, subject in
            let store = try await subject.make()
            for (number, key) in ["key/1", "key/2", "other"].enumerated() {
                try await store.insert(.sample(number), for: key)
            }
            let told = Recorder<StoreChange>()
            let observation = store.changes.observe { told.append($0) }
            defer { observation.cancel() }
            try await store.deleteAll(prefix: "key/")
            for key in ["key/1", "key/2"] {
                try promise.holds(told.all.contains { $0.concerns(key) }, "\(key) is not in \(told.all)")
            }
        },
        Check("deleteAll runs in the order in which it was issued") { promise, subject in
            guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
            let store = try await subject.make()
            let tasks = (0..<60).map { number in
                Task.immediate {
                    switch number % 3 {
                    case 0: try await store.insert(.counter(number), for: "key \(number)")
                    case 1: try await store.deleteAll(prefix: "key")
                    default:
                        // Everything that was issued before is gone.
                        try await store.update("key \(number - 2)") { found throws(StoreError) in
                            try found.get() == nil ? .keep : .replace(.counter(-1))
                        }
                    }
                }
            }
            for task in tasks { try await task.value }
            let left = try await store.entries().map(\.key)
            try promise.holds(left.isEmpty, "\(left) are left")
        },
        Check("an acknowledged deleteAll is seen by another instance at once", needs: .reopen) { promise, subject in
            guard let reopen = subject.reopen else { return }
            let store = try await filled(subject)
            let other = try await reopen(store)
            try await store.deleteAll(prefix: "user/4/")
            let listed = try await other.contents(prefix: "user/4/")
            try promise.holds(listed.entries.isEmpty, "\(listed.entries.map(\.key))")
            try promise.same(try await other.retrieve("user/4/a"), nil)
            try expect(
                promise, try await other.contents().entries.map(\.key), Set(keyBytes).subtracting(beginning("user/4/")),
                "another instance:")
        },
        Check("a deleteAll that fails says so, and leaves the entries", needs: .makeFailing) { promise, subject in
            let entries = ["key 1": StoredEntry.sample(1), "key 2": .sample(2), "other": .sample(3)]
            guard let store = try await subject.makeFailing?(entries) else { return }
            for prefix in ["key", ""] {
                _ = try await promise.fails("deleteAll") { () async throws(StoreError) in
                    try await store.deleteAll(prefix: prefix)
                }
            }
            for (key, entry) in entries { try promise.same(try await store.retrieve(key), entry, "\(key):") }
        },
        Check("deleteAll deletes an entry whose bytes are damaged", needs: .corrupt) { promise, subject in
            let store = try await subject.make()
            for (number, key) in ["key", "other"].enumerated() { try await store.insert(.sample(number), for: key) }
            try await subject.corrupt?("key", store)
            try await store.deleteAll(prefix: "oth")
            _ = try await promise.fails("retrieve") { () async throws(StoreError) in _ = try await store.retrieve("key")
            }
            try await store.deleteAll(prefix: "ke")
            try promise.same(try await store.retrieve("key"), nil)
        },
        Check("contents of a prefix name its entries, whole or damaged, and no other's", needs: .damages) {
            promise, subject in
            try await eachDamage(subject) { store, name in
                let all = try await store.contents()
                for prefix in ["key", "ke", "other", "o", "key 2", "nothing", ""] {
                    let some = try await store.contents(prefix: prefix)
                    let expected = all.beginning(with: prefix)
                    try promise.holds(
                        Set(some.entries) == Set(expected.entries) && Set(some.damaged) == Set(expected.damaged),
                        "\(name), \(prefix): \(some) instead of \(expected)")
                }
            }
        },
        Check("deleteAll deletes a damaged entry whose key is known, and leaves the others", needs: .damages) {
            promise, subject in
            try await eachDamage(subject) { store, name in
                try await store.deleteAll(prefix: "nothing")
                try await store.deleteAll(prefix: "key 2")
                let left = try await store.contents()
                try promise.holds(left.entries.count + left.damaged.count == 2, "\(name): \(left)")
                let isKnown = !left.beginning(with: "key").isEmpty
                try await store.deleteAll(prefix: "ke")
                let then = try await store.contents()
                try promise.holds(
                    then.entries.map(\.key) == ["other"] && then.damaged.count == (isKnown ? 0 : 1), "\(name): \(then)")
                if isKnown { try promise.same(try await store.retrieve("key"), nil, "\(name):") }
                try promise.same(try await store.retrieve("other"), .sample(2), "\(name):")
                try await store.insert(.sample(3), for: "key")
                try promise.same(try await store.retrieve("key"), .sample(3), "\(name), stored again:")
            }
            try await eachDamage(subject) { store, name in
                try await store.deleteAll(prefix: "")
                let left = try await store.contents()
                try promise.holds(left.isEmpty, "\(name), after all were deleted: \(left)")
            }
        },
    ]

    private static let prefixKeys = [
        "user/4/a", "user/4/b", "user/42/a", "user/4", "user/", "user", "User/4/a", "use", "v", "u%er/4", "user_4",
        "user%", "a",
        // Two ways to write é: as characters equal, and no `e`.
        "\u{e9}", "e\u{301}", "e", "e\u{301}/x",
        "\u{0}", "a\u{0}b", "a\u{0}", "\u{7f}", "\u{7f}\u{7f}", "\u{7ff}x", "\u{800}", "\u{10FFFF}", "\u{10FFFF}a",
        "🦊🦊", "🦊", "*", "[a]",
        String(repeating: "k", count: 300), String(repeating: "k", count: 301), "k",
    ]
    private static let keyBytes = prefixKeys.map { Data($0.utf8) }
    /// Those that begin with others come before them.
    static let prefixes = [
        "nothing", "user/4/", "user_", "user%", "u%", "user/4", "user/", "user", "User", "a\u{0}", "\u{e9}", "e\u{301}",
        "e",
        "\u{0}", "\u{7f}", "\u{7ff}", "\u{10FFFF}", "🦊", "*", "[", String(repeating: "k", count: 302),
        String(repeating: "k", count: 301), String(repeating: "k", count: 250),
    ]

    private static func beginning(_ prefix: String) -> Set<Data> {
        Set(keyBytes.filter { $0.starts(with: Data(prefix.utf8)) })
    }

    private static func expect(
        _ promise: Promise, _ found: [String], _ expected: Set<Data>, _ moment: String
    ) throws {
        try promise.holds(
            found.count == expected.count && Set(found.map { Data($0.utf8) }) == expected,
            "\(moment) found \(found.map(\.debugDescription).sorted())")
    }

    static func filled(_ subject: Subject) async throws -> any CacheStore {
        let store = try await subject.make()
        for (number, key) in prefixKeys.enumerated() { try await store.insert(.sample(number), for: key) }
        return store
    }

    /// Runs a check on a store for each way of damaging the entry `key` beside `other`.
    static func eachDamage(
        _ subject: Subject, _ body: (_ store: any CacheStore, _ name: String) async throws -> Void
    ) async throws {
        for damage in subject.damages {
            let store = try await subject.make()
            try await store.insert(.sample(1), for: "key")
            try await store.insert(.sample(2), for: "other")
            try await damage.run("key", store)
            try await body(store, damage.name)
        }
    }
}

extension StoreContents {
    fileprivate var isEmpty: Bool { entries.isEmpty && damaged.isEmpty }
}
