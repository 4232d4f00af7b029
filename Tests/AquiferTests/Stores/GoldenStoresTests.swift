import AquiferTesting
import AquiferUserDefaults
import Foundation
import Testing

@testable import Aquifer

/// The files are described in `Tests/Golden/README.md`.
@Suite("The golden stores can be opened, and those that are written today", .timeLimit(.minutes(10)))
struct GoldenStoresTests {
    private static let golden = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Golden/current/library")
    /// Those that are kept, and those that `GoldenMaker` writes now.
    private static let formats = ["current", "today"]
    private static let date = GoldenMaker.date

    /// A copy of one of the golden folders or files; those of today are made in its place.
    private func copy(
        _ name: String, of format: String, made make: (GoldenMaker) -> () async throws -> Void,
        _ use: (URL) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let place = folder.appendingPathComponent(name)
            if format == "today" {
                try await make(GoldenMaker(folder: folder))()
            } else {
                try FileManager.default.copyItem(at: Self.golden.appendingPathComponent(name), to: place)
            }
            try await use(place)
        }
    }

    private func expectGoldenEntries(in store: any CacheStore) async throws {
        let entries = GoldenMaker.entries
        for (key, entry) in entries { #expect(try await store.retrieve(key) == entry, "\(key)") }
        let summaries = Set(try await store.entries())
        #expect(summaries == Set(entries.map { StoredEntry.Summary($1, key: $0) }))
        try await store.update("plain") { found throws(StoreError) in
            var entry = try found.get() ?? StoredEntry(bytes: Data(), savedAt: Self.date)
            entry.bytes += Data(" again".utf8)
            return .replace(entry)
        }
        #expect(try await store.retrieve("plain")?.bytes == Data("hello again".utf8))
    }

    /// `AQUIFER_GOLDEN` is the folder of the golden stores, when they are made anew (`Tests/Golden/README.md`).
    @Test("those of today are made in the folder that is asked for")
    func make() async throws {
        try await TemporaryFolder.with { folder in
            let place = ProcessInfo.processInfo.environment["AQUIFER_GOLDEN"].map { URL(fileURLWithPath: $0) } ?? folder
            let library = place.appendingPathComponent("library")
            try FileManager.default.createDirectory(at: library, withIntermediateDirectories: true)
            let maker = GoldenMaker(folder: library)
            for make in [maker.fileStore, maker.userDefaults, maker.downloads, maker.outbox] { try await make() }
            let made = Set(try FileManager.default.contentsOfDirectory(atPath: library.path))
            #expect(made.isSuperset(of: ["downloads", "file-store", "outbox"]))
            for file in try killed(in: library.appendingPathComponent("downloads")) { try Data().write(to: file) }
        }
    }

    /// The bytes of the download that was killed. They are a pattern, which need not be kept.
    private func killed(in downloads: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: downloads, includingPropertiesForKeys: nil).filter {
            guard $0.pathExtension == "data" else { return false }
            return try !(1...GoldenMaker.killed - 1).contains(Data(contentsOf: $0).count)
        }
    }

    @Test("a FileStore's folder: each entry, and changes to them", arguments: formats)
    func fileStore(format: String) async throws {
        try await copy("file-store", of: format, made: { $0.fileStore }) {
            try await expectGoldenEntries(in: FileStore(directory: $0))
        }
    }

    #if os(Linux)
        @Test("a UserDefaultsStore's entries: each of them, and changes to them", arguments: formats)
        func userDefaults(format: String) async throws {
            let domain = TemporaryDefaults()
            try await copy("defaults.plist", of: format, made: { $0.userDefaults }) { plist in
                try FileManager.default.copyItem(at: plist, to: URL(fileURLWithPath: "\(domain.name).plist"))
                try await expectGoldenEntries(in: UserDefaultsStore(domain.open(), prefix: "golden."))
            }
        }
    #endif

    @Test("a folder of downloads: what is whole is delivered, what was cut is gone on with", arguments: formats)
    func downloads(format: String) async throws {
        try await copy("downloads", of: format, made: { $0.downloads }) { place in
            for file in try killed(in: place) { try GoldenMaker.pattern(GoldenMaker.killed).write(to: file) }
            let remote = FileRemote(GoldenMaker.pattern(300_000))
            let client = remote.client
            let downloads = try Downloads(directory: place, client: client, retry: .never, now: { Self.date })
            let list = try await downloads.list().sorted { $0.url.absoluteString < $1.url.absoluteString }
            #expect(list.map { $0.url.lastPathComponent } == ["cut.mp3", "expired.mp3", "killed.mp3", "whole.mp3"])
            #expect(list.map(\.isWhole) == [false, true, false, true])
            #expect(list.map(\.isPinned) == [false, false, false, true])
            let base = URL(string: "http://golden.example")!
            let whole = try #require(try await downloads.saved(base.appendingPathComponent("whole.mp3")))
            #expect(try await whole.all() == GoldenMaker.pattern(5_000) && whole.mediaType == "audio/mpeg")
            #expect(try await downloads.saved(base.appendingPathComponent("expired.mp3")) == nil)
            #expect(client.requests.isEmpty)
            for (name, from) in [("cut.mp3", 20_000), ("killed.mp3", 262_144)] {
                let file = try await downloads.file(for: base.appendingPathComponent(name))
                #expect(try await file.all() == GoldenMaker.pattern(300_000))
                #expect(client.requests.last?.headers["Range"] == "bytes=\(from)-", "\(name)")
            }
        }
    }

    @Test(
        "an outbox: every item in its state, and all are sent when they may be, with their keys and files",
        arguments: formats)
    func outbox(format: String) async throws {
        try await copy("outbox", of: format, made: { $0.outbox }) { place in
            let world = OutboxWorld(store: try FileStore(directory: place.appendingPathComponent("items")))
            let outbox = world.outbox(attachments: place.appendingPathComponent("files"))
            let items = try await outbox.items()
            #expect(items.map(\.label) == ["Paused", "Refused", "Retrying", "Waiting"])
            #expect(items.map(\.key) == ["key-1", "key-2", "key-3", "key-4"])
            let refusal = Outbox.Refusal.server(status: 422, words: "no such thing")
            #expect(items[0].state == .paused && items[1].state == .refused(refusal) && items[3].state == .waiting)
            guard case .retrying(after: .status(503), _) = items[2].state else {
                Issue.record("\(items[2].state)")
                return
            }
            try await outbox.resume(items[0].id)
            try await outbox.retry(items[1].id)
            world.pass(3_600)
            _ = try await outbox.drain()
            #expect(try await outbox.items().isEmpty)
            #expect(Set(world.server.taken) == ["paused", "refused", "retrying", "head"])
        }
    }
}
