import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferAudioFeed

@MainActor
@Suite("Clips that are kept", .timeLimit(.minutes(10)))
struct KeptClipsTests {
    private nonisolated static let sound = ScriptedHTTPClient.Reply.answer(
        headers: ["Content-Type": "audio/mpeg", "Content-Length": "1003", "ETag": "\"1\""], body: AudioWorld.mp3)
    private nonisolated static let unchanged = ScriptedHTTPClient.Reply.answer(status: 304, headers: ["ETag": "\"1\""])

    private func kept(_ model: AudioFeedModel) -> AudioFeedModel.Kept {
        model.clips.first.map(model.kept) ?? .none
    }

    /// A remote with one clip. Its sound never changes, and it can be out of reach.
    private func remote(isOnline: Locked<Bool>) -> ScriptedHTTPClient {
        ScriptedHTTPClient { request in
            guard isOnline.withLock({ $0 }) else { return .refused }
            if request.url.lastPathComponent == "audio" { return .clips(AudioWorld.item()) }
            return request.headers["If-None-Match"] == nil ? Self.sound : Self.unchanged
        }
    }

    private func keepOne(in world: AudioWorld) async -> AudioFeedModel {
        let model = AudioFeedModel(world.service)
        await model.appear()
        await model.keep(AudioWorld.id)
        return model
    }

    @Test("are renewed while there is a connection, so that they do not expire, with no byte of sound fetched again")
    func renewed() async throws {
        let isOnline = Locked(true)
        let world = AudioWorld(client: remote(isOnline: isOnline))
        let model = await keepOne(in: world)
        for _ in 0..<10 {
            world.date.advance(by: Duration.days(2).timeInterval)
            await model.refresh()
            #expect(kept(model) == .kept)
        }
        let sounds = world.client.requests.filter { $0.url.lastPathComponent != "audio" }
        #expect(sounds.count == 11 && sounds.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"1\"" })
        isOnline.withLock { $0 = false }
        world.date.advance(by: Duration.days(6).timeInterval)
        #expect(try await world.service.downloads().saved(try #require(model.clips.first).audio) != nil)
    }

    @Test("are asked about once a day at most, and not while nothing can be reached")
    func renewalIsRare() async throws {
        let isOnline = Locked(true)
        let world = AudioWorld(client: remote(isOnline: isOnline))
        let model = await keepOne(in: world)
        let before = world.client.requests.count
        #expect(await world.service.renewKept() == 0)
        #expect(world.client.requests.count == before)
        world.date.advance(by: Duration.days(1).timeInterval)
        isOnline.withLock { $0 = false }
        #expect(await world.service.renewKept() == 0)
        #expect(world.client.requests.count == before + 1)
        // A clip that could not be confirmed plays as before.
        #expect(kept(model) == .kept)
        isOnline.withLock { $0 = true }
        #expect(await world.service.renewKept() == 1)
        #expect(await world.service.renewKept() == 0)
    }

    @Test("say that they have expired when they can no longer be played, and play again after a new download")
    func expired() async throws {
        let isOnline = Locked(true)
        let world = AudioWorld(client: remote(isOnline: isOnline))
        let model = await keepOne(in: world)
        isOnline.withLock { $0 = false }
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(kept(model) == .expired)
        let url = try #require(model.clips.first).audio
        #expect(try await world.service.downloads().saved(url) == nil)

        // Keeping it fails without a connection. The screen says so, and the clip stays one that the user wants to
        // keep.
        await model.keep(AudioWorld.id)
        guard case .failed(.connectivity) = kept(model) else {
            Issue.record("\(kept(model))")
            return
        }
        #expect(try await world.service.downloads().list().allSatisfy(\.isPinned))

        isOnline.withLock { $0 = true }
        await model.keep(AudioWorld.id)
        #expect(kept(model) == .kept)
        #expect(try await world.service.downloads().saved(url)?.savedAt == world.date.now)
    }
}
