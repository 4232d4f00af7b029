import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferAudioFeed

// Document 004, the use cases "Remote Feed" and "Cache Feed Items", course by course. Its acceptance criteria, "Cached Feed"
// and "Save Feed Items To Remote" are in AudioFeedTests.

@Suite("Remote Feed Use Case", .timeLimit(.minutes(10)))
struct RemoteFeedUseCase {
    @Test("Primary course: downloads and validates the items, saves them to the cache, and delivers them")
    func primary() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1), AudioWorld.item(2)))
        let loaded = try await world.service.loadFromRemote()
        #expect(loaded.source == .remote && loaded.value.count == 2 && loaded.savedAt == world.date.now)
        #expect(world.client.requests.map(\.url.absoluteString) == ["http://audio.example/v1/audio"])
        #expect(try await world.service.loadSaved().value == loaded.value)
    }

    @Test("Primary course, with a cache that cannot be written: delivers the items, and the error beside them")
    func unsaved() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()))
        world.store.fail(.insert, .update, with: .full(path: "/s"))
        let loaded = try await world.service.loadFromRemote()
        #expect(loaded.value.count == 1 && loaded.savedAt == nil && loaded.saveError == .full(path: "/s"))
    }

    @Test("Invalid data: delivers invalid data error, and the cache is as it was")
    func invalidData() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), .answer(body: Data(#"{"items":[{}]}"#.utf8)))
        let before = try await world.service.loadFromRemote()
        let error = await failure { () async throws(LoadError) in try await world.service.loadFromRemote() }
        #expect(error?.reason == .invalidData)
        #expect(try await world.service.loadSaved().value == before.value)
    }

    @Test("No connectivity: delivers no connectivity error, also when items are cached")
    func noConnectivity() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()), .refused)
        let before = try await world.service.loadFromRemote()
        let error = await failure { () async throws(LoadError) in try await world.service.loadFromRemote() }
        #expect(error?.reason == .connectivity)
        #expect(try await world.service.loadSaved().value == before.value)
    }
}

@Suite("Cache Feed Items Use Case", .timeLimit(.minutes(10)))
struct CacheFeedItemsUseCase {
    @Test("Primary course: encodes and timestamps the items, and replaces the cache; the old data is gone")
    func primary() async throws {
        let world = AudioWorld(.clips(AudioWorld.item(1), AudioWorld.item(2)))
        let clips = try await world.service.loadFromRemote().value
        world.date.advance(by: 60)
        #expect(try await world.service.cacheItems([clips[1]]) == world.date.now)
        let saved = try await world.service.loadSaved()
        #expect(saved.value == [clips[1]] && saved.savedAt == world.date.now)
        #expect(try await world.store.entries().count == 1)
    }

    @Test("An error is delivered, and the old data is still there")
    func failure() async throws {
        let world = AudioWorld(.clips(AudioWorld.item()))
        let clips = try await world.service.loadFromRemote().value
        world.store.fail(.insert, .update, .delete, with: .full(path: "/s"))
        await #expect(throws: StoreError.full(path: "/s")) { try await world.service.cacheItems([]) }
        world.store.heal()
        #expect(try await world.service.loadSaved().value == clips)
    }
}
