import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AudioFeed

@MainActor
@Suite("The audio screens", .timeLimit(.minutes(1)))
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
        guard case .failed(.connectivity) = model.phase else {
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
        #expect(model.phase == .editing && model.title == "Rain" && model.canSend)
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

    @Test("The outbox shows what was refused with the server's words; a new title sends it anew")
    func outbox() async throws {
        let world = AudioWorld(
            .answer(status: 422, body: Data(#"{"error":"this title is taken"}"#.utf8)), .posted())
        _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        try await world.service.outbox.drain()
        let model = OutboxModel(world.service.outbox)
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

    @Test("What waits can be paused, resumed, tried at once, and discarded")
    func manage() async throws {
        let world = AudioWorld(.answer(status: 503), .posted())
        let outbox = world.service.outbox
        _ = try await world.service.postLater(try ClipDraft(title: "Rain", file: try world.file()))
        _ = try await world.service.postLater(try ClipDraft(title: "Snow", file: try world.file()))
        let model = OutboxModel(outbox)
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
}
