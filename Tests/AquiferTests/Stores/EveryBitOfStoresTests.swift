import Aquifer
import EveryBit
import Foundation
import Testing

/// Every bit and every length of the files of `FileStore`. The file of a `UserDefaultsStore` is the system's own: a run
/// over all its bits on Linux did not end.
@Suite("Each bit flipped and each length cut, in stores of files", .timeLimit(.minutes(60)))
struct EveryBitOfStoresTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)
    private static let long = String(repeating: "long ", count: 60)

    private static let entries: [String: StoredEntry] = [
        "a": StoredEntry(
            bytes: Data("one value".utf8), savedAt: date,
            validators: Validators(etag: "\"1\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"), kind: .data,
            origin: .init(sentAt: date, answeredAt: date + 1),
            asking: .init(askAt: date + 2, staleUntil: date + 3, isImmutable: true)),
        long: StoredEntry(bytes: Data("another value".utf8), savedAt: date),
        "c": StoredEntry(bytes: Data("asked".utf8), savedAt: date, asking: .init(askAt: date + 3)),
        "b": StoredEntry(bytes: Data((0..<5_000).map { UInt8($0 % 251) }), savedAt: date + 2),
    ]

    @Test("an entry, or the marker of a FileStore: its error or the entry; the others stay, and nothing is overwritten")
    func fileStore() async throws {
        try await Fixture.withFolder { folder in
            let store = try FileStore(directory: folder)
            for (key, entry) in Self.entries { try await store.insert(entry, for: key) }
            let fixture = try Fixture(folder)
            for path in fixture.paths where !path.hasSuffix(".lock") {
                let sweep = try await Sweep(
                    "FileStore: \(path.hasPrefix("~") ? "entry with a long key" : path)", path, of: fixture
                ) { _ in
                    let verdict = await Self.verdict(folder)
                    guard case .wrong = verdict else { return try await Self.afterWriting(folder, verdict) }
                    return verdict
                }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }

    private static func verdict(_ folder: URL) async -> Verdict {
        do throws(StoreError) { return await .of(try FileStore(directory: folder), holding: entries) } catch {
            return .told(error)
        }
    }

    /// Saves and deletes another entry, which touches none of the damaged ones.
    private static func afterWriting(_ folder: URL, _ verdict: Verdict) async throws -> Verdict {
        do throws(StoreError) {
            let store = try FileStore(directory: folder)
            try await store.insert(entries["a"]!, for: "new")
            try await store.delete("new")
        } catch {
            if case .unchanged = verdict { return .wrong("a save fails: \(error)") }
        }
        return verdict
    }
}
