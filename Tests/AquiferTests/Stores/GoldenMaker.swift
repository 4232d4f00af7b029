import AquiferTesting
import AquiferUserDefaults
import Foundation
import Testing

@testable import Aquifer

/// Makes golden stores of today's format: those of the library, which the command line cannot make.
struct GoldenMaker {
    /// The folder, `library`, in which they are made. It is there.
    let folder: URL
    private let date = ManualDate(Self.date)

    func fileStore() async throws {
        let store = try FileStore(directory: folder.appendingPathComponent("file-store"))
        for (key, entry) in Self.entries { try await store.insert(entry, for: key) }
    }

    /// Where there are no domains at a path, as on Apple's systems, it makes nothing.
    func userDefaults() async throws {
        let path = folder.appendingPathComponent("defaults").path
        let store = UserDefaultsStore(try #require(UserDefaults(suiteName: path)), prefix: "golden.")
        for (key, entry) in Self.entries { try store.set(entry, for: key) }
    }

    /// Whole and pinned; expired; cut after an orderly end, with a tail; killed, with one block in its journal.
    func downloads() async throws {
        try await TemporaryFolder.with { try await downloads(in: $0.appendingPathComponent("of-one-that-lives")) }
    }

    private func downloads(in place: URL) async throws {
        func downloads(_ client: any HTTPClient) throws -> Downloads {
            try Downloads(directory: place, client: client, retry: .never, now: date.read)
        }
        date.advance(by: -8 * 86_400)
        let old = URL(string: "http://golden.example/expired.mp3")!
        _ = try await downloads(FileRemote(Self.pattern(1_000)).client).file(for: old)
        date.advance(by: 8 * 86_400)
        let whole = URL(string: "http://golden.example/whole.mp3")!
        let first = try downloads(FileRemote(Self.pattern(5_000)).client)
        _ = try await first.file(for: whole)
        try await first.pin(whole)
        let cut = URL(string: "http://golden.example/cut.mp3")!
        let remote = FileRemote(Self.pattern(300_000)) { $0.cuts = [20_000] }
        await #expect(throws: DownloadError.self) { _ = try await downloads(remote.client).file(for: cut) }
        let client = ScriptedHTTPClient()
        let killed = URL(string: "http://golden.example/killed.mp3")!
        let download = try downloads(client).download(killed)
        let exchange = await client.exchange(0)
        exchange.start(headers: ["ETag": "\"1\"", "Content-Length": "300000", "Content-Type": "audio/mpeg"])
        exchange.send(Self.pattern(300_000).prefix(Self.killed))
        for await progress in download.progress where progress.received == Self.killed { break }
        // The disk now holds what a process that is killed now leaves.
        try FileManager.default.copyItem(at: place, to: folder.appendingPathComponent("downloads"))
        download.cancel()
        await #expect(throws: DownloadError.self) { _ = try await download.file() }
    }

    /// Waiting with an attachment, retrying, paused, refused; and one in no group.
    func outbox() async throws {
        let place = folder.appendingPathComponent("outbox")
        let world = OutboxWorld(store: try FileStore(directory: place.appendingPathComponent("items")))
        let outbox = world.outbox(attachments: place.appendingPathComponent("files"))
        world.server.rule { text, _ in
            switch text {
            case "refused": .answer(status: 422, body: Data("no such thing".utf8))
            case "retrying": .answer(status: 503)
            default: nil
            }
        }
        let paused = try await outbox.enqueue(world.note("paused"), group: "a", label: "Paused")
        try await outbox.pause(paused.id)
        try await outbox.enqueue(world.note("refused"), group: "b", label: "Refused")
        try await outbox.enqueue(world.note("retrying"), group: "c", label: "Retrying")
        _ = try await outbox.drain()
        let file = folder.appendingPathComponent("attachment.bin")
        try Self.pattern(2_000).write(to: file)
        let request = HTTPRequest(
            .post, world.url, headers: ["Content-Type": "application/octet-stream"],
            body: .init(parts: [.bytes(Data("head".utf8)), .file(file, offset: 0, length: 2_000)]))
        try await outbox.enqueue(request, group: "a", label: "Waiting")
        try FileManager.default.removeItem(at: file)
    }

    /// The number of bytes that the download had when it was killed: more than a block.
    static let killed = 280_000

    static func pattern(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

    static let date = Date(timeIntervalSince1970: 1_780_000_000)

    static let entries: [String: StoredEntry] = [
        "asked": StoredEntry(
            bytes: Data("again".utf8), savedAt: date, origin: .init(sentAt: date - 1, answeredAt: date),
            asking: .init(askAt: date + 60, staleUntil: date + 90, isImmutable: true)),
        "invalid": StoredEntry(bytes: Data("again".utf8), savedAt: date, asking: .init(askAt: .distantPast)),
        "plain": StoredEntry(bytes: Data("hello".utf8), savedAt: date),
        "é/ç": StoredEntry(
            bytes: pattern(3_000), savedAt: Date(timeIntervalSince1970: 1_780_000_000.25),
            validators: Validators(etag: "\"1\"", lastModified: "Sat, 21 Nov 2026 00:00:00 GMT"), kind: .data),
        "empty": StoredEntry(
            bytes: Data(), savedAt: Date(timeIntervalSince1970: 0), validators: Validators(etag: "")),
    ]
}
