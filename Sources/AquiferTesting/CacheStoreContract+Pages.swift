import Aquifer
import Foundation

/// Lists in pages, and the number that all bytes do not exceed.
extension CacheStoreContract {
    static let pageChecks = [
        Check("the pages of a prefix list its entries, each once, whatever their limit") { promise, subject in
            let store = try await filled(subject)
            for prefix in prefixes + [""] {
                let expected = try await store.contents(prefix: prefix)
                for limit in [1, 3, 1_000] {
                    let pages = try await pages(promise, store, prefix, limit)
                    let found = pages.flatMap(\.entries)
                    try promise.holds(
                        found.count == expected.entries.count && Set(found) == Set(expected.entries),
                        "\(limit) a page, \(prefix.debugDescription): \(found.map(\.key))")
                    try promise.holds(pages.allSatisfy(\.damaged.isEmpty), "\(pages.flatMap(\.damaged))")
                }
            }
        },
        Check("an entry that stays is listed in one page, whatever is stored and deleted between the pages") {
            promise, subject in
            let store = try await subject.make()
            for number in 0..<20 {
                try await store.insert(.sample(number), for: "stays \(number * 2)")
                try await store.insert(.sample(number), for: "goes \(number * 2 + 1)")
            }
            var (found, after, count) = ([String](), String?.none, 0)
            repeat {
                let page = try await store.page(prefix: "", after: after, limit: 3)
                found += page.contents.entries.map(\.key).filter { $0.hasPrefix("stays") }
                after = page.next
                count += 1
                try await store.delete("goes \(count * 2 - 1)")
                try await store.insert(.sample(count), for: "x comes \(count)")
                try await store.insert(.sample(count), for: "stays \(count % 20 * 2)")
            } while after != nil && count < 200
            try promise.holds(found.sorted() == (0..<20).map { "stays \($0 * 2)" }.sorted(), "\(found)")
        },
        Check("the pages of a prefix tell the damage that its contents tell", needs: .damages) { promise, subject in
            try await eachDamage(subject) { store, name in
                for prefix in ["key", "other", "nothing", ""] {
                    let expected = try await store.contents(prefix: prefix)
                    for limit in [1, 2, 1_000] {
                        let pages = try await pages(promise, store, prefix, limit)
                        let (entries, damaged) = (pages.flatMap(\.entries), pages.flatMap(\.damaged))
                        try promise.holds(
                            Set(entries) == Set(expected.entries) && Set(damaged) == Set(expected.damaged),
                            "\(name), \(limit) a page, \(prefix): \(pages) instead of \(expected)")
                    }
                }
            }
        },
        Check("all entries together have no more bytes than the store says at most") { promise, subject in
            let store = try await subject.make()
            for number in 0..<8 {
                try await store.insert(.sample(number, size: number * 10_000), for: "key \(number)")
                guard let most = try await store.mostBytes() else { continue }
                let total = try await store.entries().map(\.size).reduce(0, +)
                try promise.holds(total <= most, "\(total) bytes, at most \(most)")
            }
        },
    ]

    /// The pages of a list, which must end.
    private static func pages(
        _ promise: Promise, _ store: any CacheStore, _ prefix: String, _ limit: Int
    ) async throws -> [StoreContents] {
        var (pages, after) = ([StoreContents](), String?.none)
        repeat {
            let page = try await store.page(prefix: prefix, after: after, limit: limit)
            pages.append(page.contents)
            after = page.next
            try promise.holds(pages.count < 200, "the pages of \(prefix.debugDescription) have no end")
        } while after != nil
        return pages
    }
}
