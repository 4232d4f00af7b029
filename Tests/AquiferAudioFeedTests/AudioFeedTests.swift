import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferAudioFeed

@Suite("The audio feed, course by course", .timeLimit(.minutes(10)))
struct AudioFeedTests {
    // Acceptance criteria

    @Test("Given an active connection, new items are loaded from the remote and cached")
    func online() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1), AudioWorld.item(2)))
        let loaded = try await world.service.load()
        #expect(loaded.source == .remote && loaded.value.map(\.title) == ["Rain", "Rain"])
        #expect(try await world.service.loadSaved().value == loaded.value)
        #expect(world.client.requests.map(\.url.absoluteString) == ["http://audio.example/v1/audio"])
    }

    @Test("Given no connection and a cache with clips, the items are loaded from the cache")
    func offline() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), .refused)
        _ = try await world.service.load()
        world.date.advance(by: Duration.days(7).timeInterval - 1)
        let loaded = try await world.service.load()
        #expect(loaded.source != .remote && loaded.value.count == 1)
    }

    @Test("Given no connection and a cache without clips, an error is delivered")
    func nothing() async {
        let world = AudioWorld(.refused)
        #expect(await failure { () async throws(LoadError) in try await world.service.load() }?.reason == .connectivity)
    }

    // Remote feed

    @Test(
        "Remote feed, invalid data course: delivers the invalid data error, for one bad item too",
        arguments: [
            "", "[]", "{}", #"{"items":[{}]}"#, #"{"items":[\#(AudioWorld.item()),\#(AudioWorld.item())]}"#,
            #"{"items":[\#(AudioWorld.item().replacing("http:", with: "file:"))]}"#,
            #"{"items":[\#(AudioWorld.item().replacing("2026-05-01T10:00:00Z", with: "yesterday"))]}"#,
            #"{"items":[\#(AudioWorld.item().replacing("12.5", with: "-1"))]}"#,
            #"{"items":[\#(AudioWorld.item(extra: #","waveform":[0.5,1.1]"#))]}"#,
        ])
    func invalid(body: String) async {
        let world = AudioWorld(.answer(body: Data(body.utf8)))
        #expect(await failure { () async throws(LoadError) in try await world.service.load() }?.reason == .invalidData)
    }

    @Test("Remote feed, invalid data course: any other status than 200", arguments: [201, 204, 404, 500])
    func status(status: Int) async {
        let world = AudioWorld(.answer(status: status, body: Data("{\"items\":[]}".utf8)))
        #expect(
            await failure { () async throws(LoadError) in try await world.service.load() }
                == .invalidData(.status(status)))
    }

    @Test("A clip has what the contract says, its optional fields, and dates in the three forms")
    func clip() async throws {
        let dates = ["2026-05-01T10:00:00Z", "2026-05-01T10:00:00+00:00", "2026-05-01T10:00:00+0000"]
        let items = dates.enumerated().map { index, date in
            AudioWorld.item(index + 1, extra: #","author":"Ana","waveform":[0,0.5,1]"#)
                .replacing("2026-05-01T10:00:00Z", with: date)
        }
        let world = AudioWorld(.answer(body: Data("{\"items\":[\(items.joined(separator: ","))]}".utf8)))
        let clips = try await world.service.load().value
        #expect(Set(clips.map(\.createdAt)) == [Date(timeIntervalSince1970: 1_777_629_600)])
        #expect(clips[0].author == "Ana" && clips[0].waveform == [0, 0.5, 1] && clips[0].duration == 12.5)
    }

    // Cached feed

    @Test("Cached feed, primary course: delivers what is fresh, without asking the remote")
    func saved() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()))
        _ = try await world.service.load()
        #expect(try await world.service.loadSaved().value.count == 1)
        #expect(world.client.requests.count == 1)
    }

    @Test("Cached feed: what is seven days old is removed, and no data is an error")
    func expired() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()))
        _ = try await world.service.load()
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(await failure { () async throws(AudioCacheError) in try await world.service.loadSaved() } == .noData)
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("Cached feed, invalid data course: what cannot be read is removed, and the error delivered")
    func unreadable() async throws {
        let world = AudioWorld()
        let key = "audio:http://audio.example/v1/audio"
        try await world.store.insert(StoredEntry(bytes: Data("x".utf8), savedAt: world.date.now), for: key)
        guard
            case .invalidData? = await failure(of: { () async throws(AudioCacheError) in
                try await world.service.loadSaved()
            })
        else {
            Issue.record("no invalid data error")
            return
        }
        #expect(try await world.store.entries().isEmpty)
        #expect(await failure { () async throws(AudioCacheError) in try await world.service.loadSaved() } == .noData)
    }

    @Test("Cached feed, no data course: delivers the no data error")
    func noData() async {
        #expect(
            await failure { () async throws(AudioCacheError) in try await AudioWorld().service.loadSaved() } == .noData)
    }

    @Test("A store that fails is told, and nothing is removed")
    func storeFails() async {
        let world = AudioWorld()
        world.store.fail(.retrieve, with: .notAStore(path: "/s"))
        let error = await failure { () async throws(AudioCacheError) in try await world.service.loadSaved() }
        #expect(error == .store(.notAStore(path: "/s")))
    }

    // Cache feed items

    @Test("Cache feed items: the new list replaces the old one, stamped with the time")
    func replaces() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1), AudioWorld.item(2)), .clips(AudioWorld.item(3)))
        _ = try await world.service.load()
        world.date.advance(by: 60)
        _ = try await world.service.load()
        let saved = try await world.service.loadSaved()
        #expect(saved.value.count == 1 && saved.savedAt == world.date.now)
        #expect(try await world.store.entries().count == 1)
    }

    // Save feed items to remote

    @Test("Save to remote, primary course: posts the encoded item, and delivers it as the remote has it")
    func post() async throws {
        let world = AudioWorld(.posted())
        let draft = try ClipDraft(title: "  Rain ", author: "Ana", file: try world.file(), fileName: "ra\"in.mp3")
        guard case .posted(let clip) = try await world.service.post(draft, key: "k1") else {
            Issue.record("not posted")
            return
        }
        #expect(clip.title == "Rain")
        let request = try #require(world.client.requests.first)
        #expect(request.method == .post && request.url.absoluteString == "http://audio.example/v1/audio")
        #expect(request.headers["Idempotency-Key"] == "k1")
        #expect(request.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        let parts = try #require(request.body?.parts)
        #expect(parts.contains { if case .file(_, 0, 1003) = $0 { true } else { false } })
        let text = parts.compactMap {
            if case .bytes(let data) = $0 { String(decoding: data, as: UTF8.self) } else { nil }
        }
        .joined()
        #expect(text.contains(#"name="metadata""#) && text.contains(#""title":"Rain""#))
        #expect(text.contains(#"name="audio"; filename="ra%22in.mp3""#) && text.contains("audio/mpeg"))
    }

    @Test("Save to remote, no connectivity course: delivers the error, and tries nothing again")
    func postOffline() async throws {
        let world = AudioWorld(.refused)
        let draft = try ClipDraft(title: "Rain", file: try world.file())
        let error = await failure { () async throws(ClipPostError) in try await world.service.post(draft, key: "k") }
        #expect(error == .noConnectivity("no answer (cannotConnect: refused)"))
        #expect(world.client.requests.count == 1)
        #expect(try await world.service.outbox.items().isEmpty)
    }

    @Test("Save to remote: what the server refuses is told with its words, and is not kept")
    func postRefused() async throws {
        let world = AudioWorld(.answer(status: 422, body: Data("no title".utf8)))
        let draft = try ClipDraft(title: "Rain", file: try world.file())
        let error = await failure { () async throws(ClipPostError) in try await world.service.post(draft, key: "k") }
        #expect(error == .refused(.server(status: 422, words: "no title")))
        #expect(try await world.service.outbox.items().isEmpty)
    }

    static let page = Data("<html>Welcome to the hotel".utf8)

    @Test(
        "Save to remote: an answer that is not the server's own posts nothing and loses nothing; the clip is posted once",
        arguments: [
            ScriptedHTTPClient.Reply.answer(body: page), .answer(status: 201, body: Data("{}".utf8)),
            .answer(status: 201), .answer(status: 302, headers: ["Location": "/login"]), .answer(status: 301),
            .answer(status: 403, headers: ["Content-Type": "text/html"], body: page),
        ], [true, false])
    func portal(reply: ScriptedHTTPClient.Reply, isLater: Bool) async throws {
        let world = AudioWorld(reply, .posted())
        let draft = try ClipDraft(title: "Rain", file: try world.file())
        let outbox = world.service.outbox
        if isLater {
            _ = try await world.service.postLater(draft, key: "k")
            #expect(try await outbox.drain().failed == 1)
        } else {
            guard case .waiting(_, .foreign) = try await world.service.post(draft, key: "k") else {
                Issue.record("not told that something else answered")
                return
            }
        }
        let item = try #require(try await outbox.items().first)
        guard case .retrying(after: .foreign, _) = item.state else {
            Issue.record("\(item.state)")
            return
        }
        await outbox.connectionRestored()
        #expect(try await outbox.drain().sent == 1)
        #expect(world.client.requests.map { $0.headers["Idempotency-Key"] } == ["k", "k"])
    }

    @Test("Save to remote: a lost answer leaves the clip in the outbox under its key", arguments: [500, 503])
    func postUnknown(status: Int) async throws {
        let world = AudioWorld(.answer(status: status))
        let draft = try ClipDraft(title: "Rain", file: try world.file())
        guard case .waiting(let id, .status(status)) = try await world.service.post(draft, key: "k") else {
            Issue.record("not waiting")
            return
        }
        let item = try #require(try await world.service.outbox.items().first)
        #expect(item.id == id && item.key == "k" && item.label == "Rain")
    }

    // Cache feed items, for one that was posted

    @Test("A posted clip is in the saved list at once, before those posted earlier, and the list looks no fresher")
    func postedIsCached() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1), AudioWorld.item(2)), .posted(AudioWorld.item(9)), .refused)
        let stamp = try await world.service.load().savedAt
        world.date.advance(by: 60)
        _ = try await world.service.post(try ClipDraft(title: "Rain", file: try world.file()), key: "k")
        let saved = try await world.service.loadSaved()
        #expect(saved.value.map { $0.id.uuidString.suffix(1) } == ["9", "1", "2"] && saved.savedAt == stamp)
        let offline = try await world.service.load()
        #expect(offline.source != .remote && offline.value == saved.value)
    }

    @Test("A clip that was posted later is saved, too, and posting it again adds no second one")
    func postedLaterIsCached() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1)), .posted(AudioWorld.item(9)), .posted(AudioWorld.item(9)))
        _ = try await world.service.load()
        for _ in 0..<2 {
            _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()), key: "k")
            #expect(try await world.service.outbox.drain().sent == 1)
        }
        #expect(try await world.service.loadSaved().value.count == 2)
    }

    @Test("Where nothing fresh is saved, the posted clip is saved alone, stamped with the time")
    func postedWithoutList() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1)), .posted(AudioWorld.item(9)))
        _ = try await world.service.load()
        world.date.advance(by: Duration.days(7).timeInterval)
        _ = try await world.service.post(try ClipDraft(title: "Rain", file: try world.file()), key: "k")
        let saved = try await world.service.loadSaved()
        #expect(saved.value.map { $0.id.uuidString.suffix(1) } == ["9"] && saved.savedAt == world.date.now)
    }

    @Test("A posted clip is told as posted when the list cannot be saved")
    func postedButNotCached() async throws {
        let world = AudioWorld(.posted())
        world.store.fail(.update, with: .full(path: "/s"))
        guard
            case .posted = try await world.service.post(
                try ClipDraft(title: "Rain", file: try world.file()), key: "k")
        else {
            Issue.record("not posted")
            return
        }
    }

    @Test("Sent later, a clip is posted once there is a connection, with one key at every try")
    func later() async throws {
        let world = AudioWorld(.refused, .posted())
        let file = try world.file()
        let item = try await world.service.postLater(try ClipDraft(title: "Rain", file: file))
        #expect(item.label == "Rain" && item.group == AudioFeedService.group)
        try FileManager.default.removeItem(at: file)
        #expect(try await world.service.outbox.drain().failed == 1)
        await world.service.outbox.connectionRestored()
        #expect(try await world.service.outbox.drain().sent == 1)
        #expect(world.client.requests.map { $0.headers["Idempotency-Key"] } == [item.key, item.key])
        #expect(try await world.service.outbox.items().isEmpty)
    }

    @Test("What cannot be kept for later is told, and nothing is queued")
    func laterFull() async throws {
        let world = AudioWorld()
        world.queue.fail(.insert, with: .full(path: "/q"))
        world.queue.fail(.update, with: .full(path: "/q"))
        let draft = try ClipDraft(title: "Rain", file: try world.file())
        #expect(
            await failure { () async throws(OutboxError) in try await world.service.postLater(draft) }
                == .store(.full(path: "/q")))
        let gone = try ClipDraft(title: "Rain", file: try world.file(name: "gone.mp3"))
        try FileManager.default.removeItem(at: gone.file)
        guard
            case .attachment("gone.mp3", _)? = await failure(of: { () async throws(OutboxError) in
                try await world.service.postLater(gone)
            })
        else {
            Issue.record("a file that is gone was queued")
            return
        }
    }
}

@Suite("A clip to be posted")
struct ClipDraftTests {
    @Test(
        "is told to be sound by its first bytes",
        arguments: [
            ("ID3\u{3}", AudioKind.mp3), ("OggS\0", .ogg), ("fLaC", .flac), ("RIFF0000WAVEfmt ", .wav),
            ("0000ftypM4A ", .m4a),
        ])
    func kinds(start: String, kind: AudioKind) {
        #expect(AudioKind(Data(start.utf8)) == kind)
    }

    @Test("knows frames without a head, and what only looks like them")
    func frames() {
        #expect(AudioKind(Data([0xFF, 0xFB, 0x90, 0x00])) == .mp3)
        #expect(AudioKind(Data([0xFF, 0xF3, 0x40, 0x00])) == .mp3)
        // AAC in its own stream, which browsers do not all play, and a picture that begins like M4A.
        #expect(AudioKind(Data([0xFF, 0xF1, 0x50, 0x80])) == nil)
        #expect(AudioKind(Data("0000ftypheic".utf8)) == nil)
        // The server takes it for the same.
        #expect(AudioKind(Data([0xFF, 0xFB, 0x90, 0x44]) + Data("ftypmp42".utf8)) == .mp3)
        #expect(AudioKind(Data([0x1A, 0x45, 0xDF, 0xA3])) == .webm)
        for none in ["", "I", "<html>", "RIFF0000AVI ", "\u{FF}", "# Title", "PNG"] {
            #expect(AudioKind(Data(none.utf8)) == nil, "\(none)")
        }
        #expect(AudioKind(Data([0xFF])) == nil && AudioKind(Data([0xFF, 0x00])) == nil)
    }

    @Test("needs a title of 1 to 200 characters, spaces around it aside")
    func titles() throws {
        #expect(try ClipDraft.title("  a ") == "a")
        #expect(try ClipDraft.title(String(repeating: "é", count: 200)).count == 200)
        for empty in ["", "   ", "\n\t"] { #expect(throws: ClipDraftError.noTitle) { try ClipDraft.title(empty) } }
        #expect(throws: ClipDraftError.titleTooLong(limit: 200)) {
            try ClipDraft.title(String(repeating: "x", count: 201))
        }
    }

    @Test("needs a file that is there, is not empty, and is sound")
    func files() throws {
        let world = AudioWorld()
        #expect(throws: ClipDraftError.noFile("none.mp3")) {
            try ClipDraft(title: "a", file: world.folder.appending(path: "none.mp3"))
        }
        let empty = try world.file(Data(), name: "empty.mp3")
        #expect(throws: ClipDraftError.emptyFile("empty.mp3")) { try ClipDraft(title: "a", file: empty) }
        let text = try world.file(Data("hello there, this is text".utf8), name: "text.mp3")
        #expect(throws: ClipDraftError.notAudio("text.mp3")) { try ClipDraft(title: "a", file: text) }
        #expect(throws: ClipDraftError.self) { try ClipDraft(title: "a", file: world.folder) }
    }

    @Test("of 5 GB is refused for its size")
    func huge() throws {
        let world = AudioWorld()
        let file = try world.file(name: "huge.mp3")
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 5 << 30)  // takes no room: a file of holes
        try handle.close()
        #expect(throws: ClipDraftError.fileTooLarge("huge.mp3", limit: 100 << 20)) {
            try ClipDraft(title: "a", file: file)
        }
    }

    @Test("says what is wrong in one line, and to customers in both languages")
    func words() {
        let errors: [ClipDraftError] = [
            .noTitle, .titleTooLong(limit: 200), .noFile("f"), .emptyFile("f"), .fileTooLarge("f", limit: 100 << 20),
            .notAudio("f"),
        ]
        for error in errors {
            #expect(!error.description.contains("\n"))
            #expect(error.message(in: .english) != error.message(in: .brazilianPortuguese))
        }
        #expect("\(ClipDraftError.fileTooLarge("f", limit: 100 << 20))".contains("100 MB"))
    }
}

@Suite("The length of a clip")
struct ClipLengthTests {
    @Test(
        "is told to the nearest second, half a second upwards, as the pages tell it",
        arguments: [
            (8.49, "0:08"), (8.5, "0:09"), (8.77, "0:09"), (59.5, "1:00"), (3599.5, "1:00:00"), (0, "–:––"),
            (1e300, "–:––"),
        ])
    func length(seconds: Double, told: String) throws {
        let url = try #require(URL(string: "http://audio.example/1.mp3"))
        let clip = AudioClip(id: UUID(), title: "A", duration: seconds, createdAt: .distantPast, audio: url)
        #expect(clip.durationText == told)
    }
}
