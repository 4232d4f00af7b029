import Aquifer
import Foundation

extension CacheStoreContract {
    static let keyChecks = [
        Check("any string is a key, and each is its own") { promise, subject in
            let store = try await subject.make()
            for (index, key) in keys.enumerated() { try await store.insert(.sample(index), for: key) }
            for (index, key) in keys.enumerated() {
                try promise.same(try await store.retrieve(key), .sample(index), "key \(index) (\(key.prefix(40))):")
            }
            let found = try await store.entries().map { Array($0.key.utf8) }
            try promise.holds(
                found.count == keys.count && Set(found) == Set(keys.map { Array($0.utf8) }),
                "\(found.count) entries of \(keys.count), or other keys")
            for key in keys { try await store.delete(key) }
            let rest = try await store.entries()
            try promise.holds(rest.isEmpty, "\(rest.map(\.key)) are left after all were deleted")
        },
        Check("the empty key is refused") { promise, subject in
            let store = try await subject.make()
            let errors = [
                try await promise.fails("insert") { () async throws(StoreError) in
                    try await store.insert(.sample(), for: "")
                },
                try await promise.fails("retrieve") { () async throws(StoreError) in _ = try await store.retrieve("") },
                try await promise.fails("delete") { () async throws(StoreError) in try await store.delete("") },
                try await promise.fails("update") { () async throws(StoreError) in
                    try await store.update("") { _ in .replace(.sample()) }
                },
            ]
            try promise.holds(errors.allSatisfy { $0 == .invalidKey("") }, "\(errors)")
            let found = try await store.entries()
            try promise.holds(found.isEmpty, "\(found)")
        },
    ]

    private static let keys = [
        "a", "A", "b", "key", "KEY", "Key", "a b", " ", "  ", "a/b", "/", "//", "/etc/passwd", ".", "..", "../..",
        "../a",
        "a%2fb", "a%2Fb", "%", "a.entry", "~", "-", "_", "\\", "a\\b", "a:b", "*?\"<>|", "'", "\"", "' OR 1=1 --",
        "\u{0}",
        "a\u{0}", "a\u{0}b", "\n", "\r\n", "\t", "🦊", "👩‍👩‍👧‍👦", "日本語", "CON", "nul", "aquifer-store", "aquifer-store.lock",
        // Two ways to write é: equal as Swift strings, different as keys.
        "\u{e9}", "e\u{301}",
        String(repeating: "k", count: 199), String(repeating: "k", count: 200), String(repeating: "k", count: 201),
        String(repeating: "k", count: 1000), String(repeating: "k", count: 999) + "j",
        String(repeating: "🦊", count: 1000), "https://example.com/a?b=c&d=e#f",
    ]
}
