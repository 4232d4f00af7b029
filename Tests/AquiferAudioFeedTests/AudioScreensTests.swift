import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferAudioFeed

@MainActor
@Suite("The audio screens", .timeLimit(.minutes(10)))
struct AudioScreensTests {
    private static let sound = ScriptedHTTPClient.Reply.answer(
        headers: ["Content-Type": "audio/mpeg", "Content-Length": "1003", "ETag": "\"1\""], body: AudioWorld.mp3)

    private func kept(_ model: AudioFeedModel) -> AudioFeedModel.Kept {
        model.clips.first.map(model.kept) ?? .none
    }

    @Test("A clip is kept when asked for, plays offline from then on, and can be removed")
    func keep() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), Self.sound)
        let model = AudioFeedModel(world.service)
        await model.appear()
        #expect(kept(model) == .none && model.keptBytes == 0)
        await model.keep(AudioWorld.id)
        #expect(kept(model) == .kept && model.keptBytes == 1003)
        let url = try #require(model.clips.first).audio
        #expect(try await world.service.downloads().saved(url)?.length == 1003)
        await model.remove(AudioWorld.id)
        #expect(kept(model) == .none && model.keptBytes == 0)
        #expect(try await world.service.downloads().saved(url) == nil)
    }

    @Test("Another screen sees what is kept; asking again fetches nothing")
    func keptBefore() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), Self.sound, .clips(AudioWorld.item()))
        let first = AudioFeedModel(world.service)
        await first.appear()
        await first.keep(AudioWorld.id)
        let second = AudioFeedModel(world.service)
        await second.appear()
        #expect(kept(second) == .kept)
        await second.keep(AudioWorld.id)
        #expect(world.client.requests.count == 3)
    }

    @Test("The saved list says what is kept before the latest has come")
    func keptWhileLoading() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), Self.sound, .held)
        let first = AudioFeedModel(world.service)
        await first.appear()
        await first.keep(AudioWorld.id)
        let second = AudioFeedModel(world.service)
        let appearing = Task { await second.appear() }
        let exchange = await world.client.exchange(2)
        #expect(second.list.isLoading && kept(second) == .kept)
        appearing.cancel()
        await exchange.waitForCancellation()
        await appearing.value
    }

    @Test("A download that fails says so, and can be tried again")
    func keepFails() async {
        let world = AudioWorld(.clips(AudioWorld.item()), .refused, Self.sound)
        let model = AudioFeedModel(world.service)
        await model.appear()
        await model.keep(AudioWorld.id)
        guard case .failed(.connectivity) = kept(model) else {
            Issue.record("\(kept(model))")
            return
        }
        await model.keep(AudioWorld.id)
        #expect(kept(model) == .kept)
    }

    @Test("A download that is cancelled is as if it had not been asked for")
    func cancelKeep() async {
        let client = ScriptedHTTPClient { $0.url.lastPathComponent == "audio" ? .clips(AudioWorld.item()) : .held }
        let model = AudioFeedModel(AudioWorld(client: client).service)
        await model.appear()
        let keeping = Task { await model.keep(AudioWorld.id) }
        let exchange = await client.exchange(1)
        #expect({ if case .downloading = kept(model) { true } else { false } }())
        model.cancel(AudioWorld.id)
        await exchange.waitForCancellation()
        await keeping.value
        #expect(kept(model) == .none)
    }

    @Test("Composing: only a good file and a good title can be sent; what is wrong is said at its place")
    func compose() async throws {
        let world = AudioWorld(.posted())
        let model = AudioComposeModel(world.service)
        #expect(!model.canSend && model.titleError == nil)
        #expect(!model.choose(try world.file(Data("text, no sound".utf8), name: "a.txt"), name: "a.txt"))
        #expect(model.fileError == .notAudio("a.txt") && model.file == nil)
        #expect(model.choose(try world.file(), name: "my clip.mp3"))
        #expect(model.fileError == nil && model.file?.name == "my clip.mp3" && !model.canSend)
        model.type("   ")
        #expect(model.titleError == .noTitle && !model.canSend)
        model.type("Rain")
        #expect(model.canSend)
        await model.send()
        guard case .sent(let clip) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(clip.title == "Rain" && model.file == nil && model.title == "")
        model.again()
        #expect(model.phase == .editing)
    }

    @Test("A post that failed can be tried again with the same key; another title is another clip")
    func retry() async throws {
        let world = AudioWorld(.refused, .refused, .refused, .posted())
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        await model.send()
        guard case .failed(.noConnectivity) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(model.canSend && model.file != nil)
        await model.send()
        model.type("Snow")
        await model.send()
        await model.send()
        let keys = world.client.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys[0] == keys[1] && keys[2] == keys[3] && keys[1] != keys[2])
    }

    @Test("A post without an answer is in the outbox, and the form is empty: no second clip can be made of it")
    func lostAnswer() async throws {
        let world = AudioWorld(.failure(TransportError(.interrupted)), .posted())
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        await model.send()
        guard case .waiting(let id, .noAnswer) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(!model.canSend && model.file == nil && model.title == "")
        #expect(try await world.service.outbox.items().map(\.id) == [id])
        await world.service.outbox.retryAll()
        #expect(try await world.service.outbox.drain().sent == 1)
        let keys = world.client.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test("Sent later after a try without a connection, a clip keeps its key")
    func laterAfterTry() async throws {
        let world = AudioWorld(.refused, .posted())
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        await model.send()
        await model.sendLater()
        #expect(try await world.service.outbox.drain().sent == 1)
        let keys = world.client.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test("A post that is cancelled after all of it has gone out is told as one that may have arrived")
    func cancelLate() async throws {
        let client = ScriptedHTTPClient()
        let world = AudioWorld(client: client)
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        let sending = Task { await model.send() }
        let exchange = await client.exchange(0)
        exchange.takeBody()
        model.cancel()
        await exchange.waitForCancellation()
        await sending.value
        guard case .cancelled(let id?, mayHaveArrived: true) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(!model.canSend && model.file == nil)
        #expect(try await world.service.outbox.items().map(\.state) == [.paused])
        #expect(try await world.service.outbox.items().map(\.id) == [id])
    }

    @Test("A post that is cancelled leaves the form as it was")
    func cancelPost() async throws {
        let client = ScriptedHTTPClient()
        let world = AudioWorld(client: client)
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        let sending = Task { await model.send() }
        let exchange = await client.exchange(0)
        #expect({ if case .sending = model.phase { true } else { false } }() && !model.canSend)
        model.type("ignored while it is sent")
        model.cancel()
        await exchange.waitForCancellation()
        await sending.value
        #expect(model.phase == .cancelled(nil, mayHaveArrived: false) && model.title == "Rain" && model.canSend)
        #expect(try await world.service.outbox.items().isEmpty)
    }

    @Test("A file that comes while a clip is being sent is let go, and that of the clip stays")
    func fileWhileSending() async throws {
        let client = ScriptedHTTPClient()
        let world = AudioWorld(client: client)
        let dropped = Locked<[URL]>([])
        let model = AudioComposeModel(world.service) { url in dropped.withLock { $0.append(url) } }
        let (file, other) = (try world.file(), try world.file(name: "other.mp3"))
        model.choose(file, name: "a.mp3")
        model.type("Rain")
        let sending = Task { await model.send() }
        let exchange = await client.exchange(0)
        #expect(!model.choose(other, name: "b.mp3") && model.file?.url == file)
        #expect(dropped.withLock { $0 } == [other])
        model.cancel()
        await exchange.waitForCancellation()
        await sending.value
    }

    @Test("A form whose clip is being sent elsewhere is in doubt until it is changed; its clip keeps key and author")
    func sentElsewhere() async throws {
        let world = AudioWorld(.posted(), .posted())
        let model = AudioComposeModel(world.service)
        let file = try world.file()
        let form = AudioComposeModel.Form(
            title: "Rain", file: .init(url: file, name: "a.mp3", size: 1003), key: "k1", author: "Ana",
            isBeingSent: true)
        model.restore(form)
        #expect(model.phase == .inDoubt && model.canSend && model.author == "Ana" && !model.isSending)
        // The page tells the author again, with the button.
        model.sign("Ana")
        #expect(model.phase == .inDoubt && model.form.key == "k1")
        await model.send()
        #expect(world.client.requests.map { $0.headers["Idempotency-Key"] } == ["k1"])
        let changes: [@MainActor () -> Void] = [
            { model.type("Snow") }, { model.sign("Bia") }, { model.removeFile() },
        ]
        for change in changes {
            model.again()
            model.restore(form)
            change()
            #expect(model.phase == .editing && model.form.key == nil)
        }
        // A form that tells no author leaves the one that is there.
        model.restore(AudioComposeModel.Form(title: "Rain", file: nil, key: nil))
        #expect(model.phase == .editing && model.author == "Ana")
    }

    @Test("Sent later, the clip waits in the outbox, and the file is needed no more")
    func later() async throws {
        let world = AudioWorld()
        let dropped = Locked<[URL]>([])
        let model = AudioComposeModel(world.service) { url in dropped.withLock { $0.append(url) } }
        let file = try world.file()
        model.choose(file, name: "a.mp3")
        model.type("Rain")
        await model.sendLater()
        guard case .queued = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(dropped.withLock { $0 } == [file])
        #expect(try await world.service.outbox.items().map(\.label) == ["Rain"])
    }

    @Test("Sent later twice at once, a clip is queued once")
    func laterTwice() async throws {
        let world = AudioWorld()
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "a.mp3")
        model.type("Rain")
        let presses = (0..<2).map { _ in Task { await model.sendLater() } }
        for task in presses { await task.value }
        #expect(try await world.service.outbox.items().map(\.label) == ["Rain"])
        guard case .queued = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
    }

    @Test("The outbox shows what was refused with the server's words; a new title sends it anew")
    func outbox() async throws {
        let world = AudioWorld(
            .answer(status: 422, body: Data(#"{"error":"this title is taken"}"#.utf8)), .posted())
        _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        try await world.service.outbox.drain()
        let model = OutboxModel(world.service)
        await model.look()
        let item = try #require(model.items.first)
        guard case .refused(.server(422, let words)) = item.state else {
            Issue.record("\(item.state)")
            return
        }
        #expect(words.contains("this title is taken"))
        await model.rename(item.id, to: " ")
        #expect(model.error != nil && model.items.first?.label == "Rain")
        await model.rename(item.id, to: "Snow")
        #expect(model.error == nil && model.items.first?.label == "Snow")
        #expect(try await world.service.outbox.drain().sent == 1)
        let keys = world.client.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] != keys[1])
    }

    @Test("A clip that is discarded after a try that may have reached the server is told as such, and no other is")
    func discardedAndArrived() async throws {
        let world = AudioWorld(
            client: ScriptedHTTPClient { $0.url.host() == "gone.example" ? .refused : .answer(status: 503) })
        let bases = [world.base, try #require(URL(string: "http://gone.example"))]
        for (base, title) in zip(bases, ["Lost", "Unsent"]) {
            let draft = try ClipDraft(title: title, file: try world.file())
            _ = try await world.service.outbox.enqueue(.postClip(base, draft), label: title)
        }
        let model = OutboxModel(world.service)
        try await world.service.outbox.drain()
        await model.look()
        #expect(model.items.map(\.label) == ["Lost", "Unsent"] && model.items.allSatisfy { $0.attempts == 1 })
        let items = model.items
        await model.discard(items[0].id)
        #expect(model.discarded == items[0])
        await model.discard(items[1].id)
        #expect(model.discarded == nil && model.items == [])
    }

    @Test("A clip that is answered with 409 is in the outbox under its key, and the form is empty")
    func conflict() async throws {
        let world = AudioWorld(.answer(status: 409, body: Data("in use".utf8)), .posted())
        let model = AudioComposeModel(world.service)
        model.choose(try world.file(), name: "clip.mp3")
        model.type("Rain")
        await model.send()
        let item = try #require(try await world.service.outbox.items().first)
        #expect(model.phase == .setAside(item.id, .server(status: 409, words: "in use")))
        #expect(model.file == nil && !model.canSend)
        try await world.service.outbox.retry(item.id)
        #expect(try await world.service.outbox.drain().sent == 1)
        let keys = world.client.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1])
    }

    @Test("What waits can be paused, resumed, tried at once, and discarded")
    func manage() async throws {
        let world = AudioWorld(.answer(status: 503), .posted())
        let outbox = world.service.outbox
        _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        _ = try await world.service.postLater(try ClipDraft(title: "Snow", file: try world.file()))
        let model = OutboxModel(world.service)
        try await outbox.drain()
        await model.look()
        #expect(model.items.count == 2 && model.items[0].attempts == 1)
        await model.discard(model.items[1].id)
        await model.pause(model.items[0].id)
        #expect(model.items.map(\.state) == [.paused])
        await model.resume(model.items[0].id)
        await model.sendAll()
        try await outbox.drain()
        await model.look()
        #expect(model.items.isEmpty && world.client.requests.count == 2)
    }

    @Test("What was posted is in the list that is shown, whether it was sent while the list is shown or before")
    func postedIsShown() async throws {
        let world = AudioWorld(
            .clips(AudioWorld.item(1)), .posted(AudioWorld.item(8)), .posted(AudioWorld.item(9)))
        let model = AudioFeedModel(world.service)
        await model.appear()
        _ = try await world.service.post(try ClipDraft(title: "Rain", file: try world.file()), key: "k1")
        await model.appear()
        #expect(model.clips.map { $0.id.uuidString.suffix(1) } == ["8", "1"] && model.list.source == .remote)

        let following = Task { await model.follow() }
        _ = try await world.service.postLater(try ClipDraft(title: "Snow", file: try world.file()))
        try await world.service.outbox.drain()
        await #expect(eventually { model.clips.count == 3 })
        following.cancel()
        await following.value
    }

    @Test("A user who comes back to the outbox while the earlier visit is still ending is shown each change")
    func comesBackAtOnce() async throws {
        let world = AudioWorld()
        let model = OutboxModel(world.service)
        let first = Task { await model.follow() }
        await #expect(eventually { model.isLoaded })
        first.cancel()
        let second = Task { await model.follow() }
        let third = Task { await model.follow() }
        await first.value
        _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        await #expect(eventually { model.items.count == 1 })
        second.cancel()
        await second.value
        _ = try await world.service.postLater(try ClipDraft(title: "Snow", file: try world.file()))
        await #expect(eventually { model.items.count == 2 })
        third.cancel()
        await third.value
    }

    @Test("What leaves the outbox without having been sent is not told as sent")
    func leftUnsent() async throws {
        let world = AudioWorld(.refused, .posted())
        let outbox = world.service.outbox
        let model = OutboxModel(world.service)
        _ = try await world.service.postLater(try ClipDraft(title: "Snow", file: try world.file()))
        await model.look()
        await model.discard(try #require(model.items.first).id)
        #expect(model.items.isEmpty && model.sent.isEmpty)
        let item = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        await model.look()
        try await outbox.drain()
        await outbox.retryAll()
        try await outbox.drain()
        await model.look()
        #expect(model.items.isEmpty && model.sent == [item.id])
    }
}
