import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// A file that the system does not open is not a damaged one: the device may fail, or descriptors may have run out. A
/// link that leads to itself stands in for both here: opening it fails, whoever the user is.
@Suite("A store that fails takes nothing for damaged", .timeLimit(.minutes(10)))
struct FailingStoreTests {
    private static let entry = StoredEntry(
        bytes: Data("[\"a\"]".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 1))

    /// Runs while a file cannot be opened, and puts it back.
    private func hiding<Value>(_ path: String, _ use: () async throws -> Value) async throws -> Value {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let value = try await use()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
        return value
    }

    private func expectFailure(_ work: () async throws -> Void) async {
        var failure: (any Error)?
        do { try await work() } catch { failure = error }
        guard case .failed? = failure as? StoreError else {
            Issue.record("\(String(describing: failure)) is no failure")
            return
        }
    }

    private func withStore(_ use: (FileStore, String) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            try await store.insert(Self.entry, for: "key")
            try await use(store, store.path(of: "key"))
        }
    }

    @Test("a file store tells the failure, deletes nothing, and has the entry afterwards")
    func fileStore() async throws {
        try await withStore { store, path in
            try await hiding(path) {
                await expectFailure { _ = try await store.retrieve("key") }
                await expectFailure { _ = try await store.contents() }
                await expectFailure {
                    try await store.remove(DamagedEntry(key: "key", place: path, reason: "it could not be read"))
                }
                await expectFailure {
                    try await store.update("key") { found throws(StoreError) in
                        _ = try found.get()
                        return .delete
                    }
                }
                #expect(throws: Never.self) { try FileManager.default.destinationOfSymbolicLink(atPath: path) }
            }
            #expect(try await store.retrieve("key") == Self.entry)
        }
    }

    @Test("validating a cache deletes nothing of it")
    func validation() async throws {
        try await withStore { store, path in
            let cache = Cache<[String]>(key: "key", in: store, policy: .forever)
            try await hiding(path) {
                await expectFailure { _ = try await cache.validate() }
                #expect(throws: Never.self) { try FileManager.default.destinationOfSymbolicLink(atPath: path) }
            }
            #expect(try await cache.load()?.value == ["a"])
        }
    }

    @Test("a load does not save over what cannot be compared with it, and delivers what it brought")
    func saving() async throws {
        try await withStore { store, path in
            let cache = Cache<[String]>(key: "key", in: store, policy: .forever)
            let beginning = await cache.begin()
            try await hiding(path) {
                await expectFailure {
                    _ = try await cache.save(["b"], validators: .none, answeredAt: nil, since: beginning)
                }
            }
            #expect(try await cache.load()?.value == ["a"])
        }
    }

    @Test("a download whose record cannot be opened stays: validated, listed as damaged, removed or downloaded again")
    func downloads() async throws {
        try await DownloadWorld.with { world in
            let content = Data.noise(300_000)
            let downloads = try world.downloads(FileRemote(content).client)
            _ = try await downloads.file(for: world.url)
            let record = try world.files(".info")[0]
            let name = record.deletingPathExtension().lastPathComponent
            try await hiding(record.path) {
                await expectFailure { _ = try await downloads.damaged() }
                await expectFailure { _ = try await downloads.validate() }
                await expectFailure {
                    try await downloads.remove(DamagedEntry(key: nil, place: name, reason: "it could not be read"))
                }
                await #expect(throws: DownloadError.self) { try await downloads.file(for: world.url) }
                let left = try world.files(".data").count
                #expect(left == 1)
            }
            let client = ScriptedHTTPClient([])
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
        }
    }
}
