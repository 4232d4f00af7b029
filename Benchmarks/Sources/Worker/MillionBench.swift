import Aquifer
import AquiferSQLite
import Foundation

/// A store with a thousand entries of 1 KB, or a million.
final class MillionBench {
    private let store: SQLiteStore
    private let count: Int
    private var number = 0
    private var random: UInt32 = 12_345

    init(folder: URL, count: Int) throws {
        self.count = count
        store = try SQLiteStore(file: folder.appending(path: "entries-\(count).sqlite"))
    }

    /// `fill` stores so many entries. `first` is the first insert through an `EvictingStore` with a bound in MB, `pages` the longest
    /// page of a list of everything, `list` the list in one piece, `retrieve` one of so many retrievals of an entry anywhere.
    func run(_ work: String, _ parameter: Int) async throws -> Double {
        switch work {
        case "fill":
            for number in 0..<parameter { try await store.insert(Self.entry(number), for: Self.key(number)) }
            return 0
        case "first":
            number += 1
            let (evicting, entry, key) = (EvictingStore(store, bound: parameter << 20), Self.entry(0), "new \(number)")
            return try await secondsEach(1) { try await evicting.insert(entry, for: key) }
        case "pages":
            var (after, longest, all) = (String?.none, 0.0, 0)
            repeat {
                var found = 0
                let seconds = try await secondsEach(1) {
                    let page = try await store.page(prefix: "", after: after, limit: parameter)
                    (after, found) = (page.next, page.contents.entries.count)
                }
                longest = max(longest, seconds)
                all += found
            } while after != nil
            guard all >= count else { throw Bench.Unknown(words: ["\(all) entries"]) }
            return longest
        case "list":
            return try await secondsEach(1) {
                guard try await store.entries().count >= count else { throw Bench.Unknown(words: ["fewer entries"]) }
            }
        default:
            return try await secondsEach(parameter) {
                random = random &* 1_664_525 &+ 1_013_904_223
                let key = Self.key(Int(UInt64(random) * UInt64(count) >> 32))
                guard try await store.retrieve(key)?.bytes.count == 1 << 10 else { throw Bench.Unknown(words: [key]) }
            }
        }
    }

    private static func key(_ number: Int) -> String {
        "picture/\(UInt32(truncatingIfNeeded: number) &* 2_654_435_761)"
    }

    private static func entry(_ number: Int) -> StoredEntry {
        var bytes = Data(repeating: UInt8(truncatingIfNeeded: number), count: 1 << 10)
        withUnsafeBytes(of: number) { bytes.replaceSubrange(0..<8, with: $0) }
        return StoredEntry(
            bytes: bytes, savedAt: Date(timeIntervalSince1970: 1_800_000_000 + Double(number)), kind: .data)
    }
}
