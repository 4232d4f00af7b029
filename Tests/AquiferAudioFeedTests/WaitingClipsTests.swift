import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferAudioFeed

@Suite("Clips that wait to be posted", .timeLimit(.minutes(5)))
struct WaitingClipsTests {
    private static let refusal = ScriptedHTTPClient.Reply.answer(
        status: 422, body: Data(#"{"error":"this title is taken"}"#.utf8))
    private static let posted = UUID(uuidString: "0A0A0A0A-0000-0000-0000-000000000009")

    private func titles(_ loaded: Loaded<[AudioClip]>?) -> [String] { loaded?.value.map(\.title) ?? [] }

    private func draft(_ world: AudioWorld, _ title: String = "Snow") throws -> ClipDraft {
        try ClipDraft(title: title, author: "Ana", file: try world.file())
    }

    @Test("Posted later offline, a clip is in the list at once, before those posted earlier, and waits")
    func atOnce() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1)))
        _ = try await world.service.load()
        var states = world.service.updates.makeAsyncIterator()
        #expect(titles(await states.next() ?? nil) == ["Rain"])
        let id = try await world.service.postLater(try draft(world)).id
        var now = await states.next() ?? nil
        while now?.value.count == 1 { now = await states.next() ?? nil }
        #expect(titles(now) == ["Snow", "Rain"])
        let (clip, item) = (try #require(now?.value.first), try #require(now?.pending.first))
        #expect(clip.author == "Ana" && clip.duration == 0 && clip.createdAt == world.date.now)
        #expect(now?.pending.count == 1 && item.id == id && item.target == clip.id.uuidString)
        #expect(item.state == .waiting && item.isShown && item.label == "Snow")
        #expect(try await world.service.loadSaved().value == now?.value)
    }

    @Test(
        "It is there after a restart, in another process, offline, without a saved list, and after the list has expired"
    )
    func restart() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1)))
        _ = try await world.service.load()
        try await world.service.postLater(try draft(world))
        let restarted = world.another(ScriptedHTTPClient([.refused, .refused]))
        let loaded = try await restarted.load()
        #expect(titles(loaded) == ["Snow", "Rain"] && loaded.pending.count == 1 && loaded.source != .remote)
        world.date.advance(by: Duration.days(8).timeInterval)
        let expired = try await restarted.load()
        #expect(titles(expired) == ["Snow"])
        guard case .pendingOnly(because: .connectivity?) = expired.source else {
            Issue.record("\(expired.source)")
            return
        }
        #expect(try await restarted.feed.savedEntry() == nil)
        #expect(titles(try await world.another(ScriptedHTTPClient([])).loadSaved()) == ["Snow"])
    }

    @Test("Its sound can be heard from the outbox's copy, though the file is gone")
    func sound() async throws {
        let world = AudioWorld()
        let draft = try draft(world)
        let id = try await world.service.postLater(draft).id
        try FileManager.default.removeItem(at: draft.file)
        let sound = try await world.service.waitingSound(of: id)
        #expect(sound.mediaType == "audio/mpeg" && sound.length == 1003 && sound.offset == 0)
        #expect(try Data(contentsOf: sound.file) == AudioWorld.mp3)
        try await world.service.discard(id)
        #expect(
            await failure { () async throws(OutboxError) in _ = try await world.service.waitingSound(of: id) }
                == .noSuchItem(id, .gone))
    }

    @Test(
        "In each state from the queueing to the next load it is one row: first its own, then the server's, then the list's"
    )
    func oneRow() async throws {
        let client = ScriptedHTTPClient()
        let world = AudioWorld(client: client)
        let following = Task {
            var counts: Set<Int> = []
            for await state in world.service.updates {
                counts.insert(state?.value.count { $0.title == "Snow" } ?? 0)
                if state?.value.contains(where: { $0.title == "The end" }) == true { break }
            }
            return counts
        }
        try await world.service.postLater(try draft(world))
        let own = try #require(try await world.service.loadSaved().value.first)
        let sending = Task { try await world.service.outbox.drain() }
        let post = await client.exchange(0)
        post.takeBody()
        post.respond(status: 201, body: Data(AudioWorld.item(9, title: "Snow").utf8))
        #expect(try await sending.value.sent == 1)
        let confirmed = try await world.service.loadSaved()
        #expect(confirmed.value.map(\.id) == [Self.posted] && confirmed.pending.isEmpty)
        #expect(confirmed.value.map { world.service.identity(of: $0) } == [own.id])
        #expect(confirmed.value.first?.audio.absoluteString == "http://audio.example/9.mp3")
        // An answer that is older than the clip does not hide it.
        world.date.advance(by: 1)
        for (number, items) in [[1], [9, 1], [7, 9, 1]].enumerated() {
            let loading = Task { try await world.service.load() }
            let load = await client.exchange(number + 1)
            let texts = items.map { AudioWorld.item($0, title: [1: "Rain", 9: "Snow", 7: "The end"][$0] ?? "") }
            load.respond(body: Data("{\"items\":[\(texts.joined(separator: ","))]}".utf8))
            #expect(try await loading.value.value.count == max(2, items.count))
        }
        #expect(await following.value.subtracting([0, 1]) == [])
    }

    @Test("A clip whose answer was lost is one row, though the list has it; others of its title stay")
    func lostAnswer() async throws {
        let world = AudioWorld(.failure(TransportError(.interrupted)))
        // The clips of this world were posted in May; this one is queued a minute before them.
        world.date.advance(by: 1_777_629_540 - world.date.now.timeIntervalSince1970)
        try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        #expect(try await world.service.outbox.drain().failed == 1)
        var clips = try AudioFeedMapper.clips(
            HTTPResponseHead(status: 200, url: world.base),
            Data("{\"items\":[\(AudioWorld.item(1)),\(AudioWorld.item(2))]}".utf8))
        let post = try #require(try await world.service.list.pendingChanges().first?.change)
        let before = clips
        for _ in 0..<2 { post.apply(to: &clips, wasTried: true) }
        #expect(clips.map(\.title) == ["Rain", "Rain"] && clips.count { $0.id == post.id } == 1)
        clips = before.map {
            AudioClip(id: $0.id, title: $0.title, author: "Ana", duration: 1, createdAt: $0.createdAt, audio: $0.audio)
        }
        post.apply(to: &clips, wasTried: true)
        #expect(clips.count == 3)
    }

    @MainActor
    @Test("The screen shows how much of it has gone out")
    func percent() async throws {
        let client = ScriptedHTTPClient()
        let world = AudioWorld(client: client)
        let model = AudioFeedModel(world.service)
        let appearing = Task { await model.appear() }
        await client.exchange(0).respond(body: Data(#"{"items":[]}"#.utf8))
        await appearing.value
        try await world.service.postLater(try draft(world))
        await #expect(eventually { model.waiting.count == 1 && model.clips.count == 1 })
        let clip = try #require(model.clips.first)
        let sending = Task { try await world.service.outbox.drain() }
        let post = await client.exchange(1)
        post.takeBody(500)
        await #expect(eventually { model.waiting[clip.id]?.state == .sending(sent: 500) })
        let item = try #require(model.waiting[clip.id])
        #expect(item.length > 1003)
        #expect(model.kept(clip) == .none)
        await model.keep(clip.id)
        #expect(client.requests.count == 2, "a clip that waits is not downloaded")
        post.takeBody()
        post.respond(status: 201, body: Data(AudioWorld.item(9, title: "Snow").utf8))
        _ = try await sending.value
        await #expect(eventually { model.clips.map(\.id) == [Self.posted] && model.waiting.isEmpty })
        #expect(model.clips.map { model.identity(of: $0) } == [clip.id] && model.clip(clip.id)?.id == Self.posted)
    }

    @MainActor
    @Test("A refused one says why; it can be kept, given another title, tried again, and discarded")
    func refused() async throws {
        let world = AudioWorld(.clips(), Self.refusal, .clips(), .posted())
        let model = AudioFeedModel(world.service)
        await model.appear()
        try await world.service.postLater(try draft(world))
        try await world.service.outbox.drain()
        await #expect(eventually { model.waiting.values.first?.refusal != nil })
        let clip = try #require(model.clips.first)
        guard case .server(422, let words)? = model.waiting[clip.id]?.refusal else {
            Issue.record("\(model.waiting)")
            return
        }
        #expect(words.contains("this title is taken") && model.clips.map(\.title) == ["Snow"])
        await model.refresh()
        #expect(model.clips.map(\.title) == ["Snow"], "it is kept")
        await model.rename(clip.id, to: " ")
        #expect(model.changeError != nil)
        model.dismissError()
        #expect(model.changeError == nil)
        await model.rename(clip.id, to: "More snow")
        await #expect(eventually { model.clips.map(\.title) == ["More snow"] && model.clips.first?.id == clip.id })
        #expect(model.changeError == nil && model.waiting[clip.id]?.refusal == nil)
        #expect(try await world.service.outbox.drain().sent == 1)
        await #expect(eventually { model.waiting.isEmpty && model.clips.map(\.id) == [Self.posted] })
        let keys = world.client.requests.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] != keys[1])
    }

    @MainActor
    @Test("What is discarded is gone from the list, and one that may have arrived is told")
    func discarded() async throws {
        let world = AudioWorld(.clips(), Self.refusal, .answer(status: 503))
        let model = AudioFeedModel(world.service)
        await model.appear()
        for title in ["Refused", "Unknown"] {
            try await world.service.postLater(try draft(world, title))
            try await world.service.outbox.drain()
            await #expect(eventually { model.clips.map(\.title) == [title] })
            let clip = try #require(model.clips.first)
            await model.discard(clip.id)
            await #expect(eventually { model.clips.isEmpty && model.waiting.isEmpty })
            #expect(model.discarded == (title == "Unknown" ? clip : nil))
        }
        #expect(try await world.service.outbox.items().isEmpty && model.changeError == nil)
    }

    @Test("What was queued as a request is sent, and is in the saved list")
    func request() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1)), .posted(AudioWorld.item(9, title: "Snow")))
        _ = try await world.service.load()
        let request = try HTTPRequest.postClip(world.base, try draft(world))
        try await world.service.outbox.enqueue(request, group: AudioFeedService.group, label: "Snow")
        #expect(titles(try await world.service.loadSaved()) == ["Rain"])
        #expect(try await world.service.outbox.drain().sent == 1)
        #expect(titles(try await world.service.loadSaved()) == ["Snow", "Rain"])
        #expect(try await world.service.feed.saved()?.value.count == 2)
    }

    @Test("A clip for one server is not in the list of another one, and is sent all the same")
    func otherServer() async throws {
        let world = AudioWorld()
        try await world.service.postLater(try draft(world))
        let base = try #require(URL(string: "http://b.example"))
        let other = world.another(ScriptedHTTPClient([.clips(), .posted(AudioWorld.item(9))]), base: base)
        #expect(try await other.load().value.isEmpty)
        #expect(try await other.outbox.drain().sent == 1)
        #expect(try await world.service.loadSaved().value.map(\.id) == [Self.posted])
    }

    @Test("Posts keep the contract of changes", arguments: ["new", "over a list"])
    func contract(over: String) async throws {
        let world = AudioWorld()
        let posts = try ["Snow", "Rain"].enumerated().map { number, title in
            ClipPost(
                try draft(world, title), base: world.base, id: try #require(UUID(uuidString: AudioWorld.own(number))),
                createdAt: world.date.now)
        }
        let clips = try AudioFeedMapper.clips(
            HTTPResponseHead(status: 200, url: world.base),
            Data("{\"items\":[\(AudioWorld.item(1)),\(AudioWorld.item(2))]}".utf8))
        // The contract draws ids that are no UUIDs, which no clip can take.
        let contract = ChangeContract(
            changes: posts, values: over == "new" ? [] : [clips], empty: [], hasServerIDs: false)
        try contract.run()
        let server = posts[0].replacingIDs { _ in AudioWorld.id.uuidString }
        #expect(server.target == AudioWorld.id.uuidString && server.clip.id == AudioWorld.id)
    }
}
