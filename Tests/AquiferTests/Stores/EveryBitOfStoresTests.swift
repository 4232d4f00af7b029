import Aquifer
import AquiferTesting
import AquiferUserDefaults
import EveryBit
import Foundation
import Testing

/// Every bit and every length of the files of `FileStore` and of `UserDefaultsStore`.
@Suite("Each bit flipped and each length cut, in stores of files", .timeLimit(.minutes(60)))
struct EveryBitOfStoresTests {
    private static let date = Date(timeIntervalSince1970: 1_780_000_000)
    private static let long = String(repeating: "long ", count: 60)

    private static let entries: [String: StoredEntry] = [
        "a": StoredEntry(
            bytes: Data("one value".utf8), savedAt: date,
            validators: Validators(etag: "\"1\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"), kind: .data,
            origin: .init(sentAt: date, answeredAt: date + 1)),
        long: StoredEntry(bytes: Data("another value".utf8), savedAt: date),
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

    #if os(Linux)
        @Test("the file of a UserDefaultsStore: its error or the entry")
        func userDefaults() async throws {
            let domain = TemporaryDefaults()
            let file = URL(fileURLWithPath: "\(domain.name).plist")
            let folder = URL(fileURLWithPath: domain.name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
            do {
                let store = UserDefaultsStore(domain.open(), prefix: "app.")
                for key in ["a", Self.long] { try await store.insert(Self.entries[key]!, for: key) }
            }
            try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("defaults.plist"))
            let fixture = try Fixture(folder)
            var number = 0
            let sweep = try await Sweep("UserDefaultsStore", "defaults.plist", of: fixture) { _ in
                // Each damage is a domain of its own: the system keeps what it has read of a domain.
                number += 1
                let name = "\(domain.name)/\(number)"
                let copy = URL(fileURLWithPath: "\(name).plist")
                try fixture.read("defaults.plist").write(to: copy)
                let store = UserDefaultsStore(UserDefaults(suiteName: name) ?? UserDefaults(), prefix: "app.")
                let verdict = await Verdict.of(store, holding: Self.entries.filter { $0.key != "b" })
                // The system reads and writes this file, and takes one that it cannot read for an empty one, as is
                // documented. An entry that is there is what it was.
                guard case .wrong(let how) = verdict, how.hasSuffix("is missing") || how.contains("leaves out") else {
                    return verdict
                }
                return .told("missing, as is documented")
            }
            #expect(sweep.wrong.isEmpty, "\(sweep)")
        }
    #endif
}
