import Aquifer
import AquiferTesting
import Foundation
import ReferenceAPIs
import Testing

@testable import App

/// The use cases "validate cache" of documents 000, 001 and 002, where the server runs them.
@MainActor
@Suite("The server validates its saved lists", .timeLimit(.minutes(10)))
struct CacheValidationTests {
    /// A list, as its page asks for it, and as it is kept.
    struct List: Sendable, CustomStringConvertible {
        let screen: String
        let load: @Sendable (Services) async throws -> Void
        let key: String
        var description: String { screen }
    }

    nonisolated static let lists = [
        List(screen: "feed", load: { _ = try await $0.feed.feed.load() }, key: "feed:"),
        List(
            screen: "contacts", load: { _ = try await $0.payments.contacts.load() },
            key: "contacts:"),
        List(
            screen: "drive",
            load: { _ = try await $0.driveForPages().service.accounts?.load() }, key: "drive-accounts:"),
    ]

    /// The product with a list saved seven days ago.
    private func expired(_ list: List) async throws -> AppWorld {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-keys-\(UUID().uuidString)")
        let world = AppWorld { $0.keys = folder }
        try await list.load(world.services)
        #expect(try await saved(list, world).map(\.validity) == [.fresh])
        world.date.advance(by: Duration.days(7).timeInterval)
        #expect(try await saved(list, world).map(\.validity) == [.expired])
        return world
    }

    private func saved(_ list: List, _ world: AppWorld) async throws -> [Inspector.Entry] {
        await world.services.inspector.entries().value.filter { $0.key.hasPrefix(list.key) }
    }

    private func end(_ world: AppWorld) async {
        await world.services.stop()
        // A folder that stays harms nobody.
        try? FileManager.default.removeItem(at: world.services.configuration.keys)
    }

    @Test("An expired list is deleted once its page was told that there is none", arguments: lists)
    func deletes(list: List) async throws {
        let world = try await expired(list)
        for remote in [ReferenceRemote.feed, .payments, .drive] { world.services.reference.set(.garbage, of: remote) }
        let page = world.states(named: list.screen)
        #expect(await world.tell("\(list.screen)?tab=tab", "appear") == 204)
        _ = await page.state(with: #""phase":"failed""#)
        #expect(try await eventually { try await saved(list, world).isEmpty })
        await end(world)
    }

    @Test("An expired list stays while its remote has not answered: the clock may be wrong", arguments: lists)
    func unanswered(list: List) async throws {
        let world = try await expired(list)
        for remote in [ReferenceRemote.feed, .payments, .drive] { world.services.reference.set(.offline, of: remote) }
        func appear<Kind: Screen>(_ kind: Kind.Type, _ intent: Kind.Intent) async throws {
            let screen = try #require(world.site.hub.screen(kind, tab: "tab"))
            await (try screen.action(for: intent, IntentFields()))()
        }
        switch list.screen {
        case FeedScreen.name: try await appear(FeedScreen.self, .appear)
        case ContactsScreen.name: try await appear(ContactsScreen.self, .appear)
        default: try await appear(DriveScreen.self, .appear)
        }
        #expect(try await saved(list, world).map(\.validity) == [.expired])
        world.date.advance(by: -Duration.days(7).timeInterval)
        #expect(try await saved(list, world).map(\.validity) == [.fresh])
        await end(world)
    }

    @Test("An expired feed is still confirmed by the remote with a 304, for nothing is deleted before the page has it")
    func confirmed() async throws {
        let list = Self.lists[0]
        let world = try await expired(list)
        let page = world.states(named: list.screen)
        #expect(await world.tell("feed?tab=tab", "appear") == 204)
        _ = await page.state(with: #""phase":"loaded""#)
        #expect(world.site.hub.screen(FeedScreen.self, tab: "tab")?.model.list.source == .remote)
        let statuses = world.services.reference.requests(of: .feed).filter { $0.path.hasSuffix("/v1/feed") }.map(
            \.status)
        #expect(statuses == [200, 304])
        #expect(try await saved(list, world).map(\.validity) == [.fresh])
        await end(world)
    }

    @Test("A load that was left before its end deletes nothing: its copy may yet be confirmed")
    func left() async throws {
        let list = Self.lists[0]
        let world = try await expired(list)
        world.services.reference.set(.slow, of: .feed)
        let screen = try #require(world.site.hub.screen(FeedScreen.self, tab: "tab"))
        let action = try screen.action(for: .appear, IntentFields())
        let appearance = Task { await action() }
        #expect(await eventually { world.services.reference.transfers(of: .feed).active != 0 })
        appearance.cancel()
        await appearance.value
        #expect(screen.model.list.phase == .idle)
        #expect(try await saved(list, world).map(\.validity) == [.expired])
        await end(world)
    }
}
