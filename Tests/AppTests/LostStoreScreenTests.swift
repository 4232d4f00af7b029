import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("Screens of stores that are gone", .timeLimit(.minutes(10)))
@MainActor
struct LostStoreScreenTests {
    /// The product on a folder whose stores were used, and one of them emptied.
    private func world(emptying name: String, _ before: AppWorld) async throws -> AppWorld {
        _ = try await before.services.outbox.items()
        _ = try await before.services.payments.desk.ledger.contents()
        let file = before.folder.appending(path: name)
        try FileManager.default.removeItem(at: file)
        try Data().write(to: file)
        let folder = before.folder
        return AppWorld { $0.data = folder }
    }

    @Test("the payments' screen says that they are gone, and not that nothing was lost or paid")
    func payments() async throws {
        let before = AppWorld()
        let world = try await world(emptying: "payments.sqlite", before)
        let reader = world.states(PaymentsScreen.self)
        #expect(await world.tell("payments?tab=tab", "appear") == 204)
        let state = await reader.state(with: "are gone from this computer")
        #expect(state.contains(#""isEmpty":false"#) && !state.contains("Nothing was lost"))
        withExtendedLifetime(before) {}
    }

    @Test("the outbox' screen says that what waited is gone, and never that nothing waits")
    func outbox() async throws {
        let before = AppWorld()
        let world = try await world(emptying: "outbox.sqlite", before)
        let reader = world.states(OutboxScreen.self)
        #expect(await world.tell("outbox?tab=tab", "appear") == 204)
        _ = await reader.state(with: "is gone from this computer")
        let screen = try #require(world.site.hub.screen(OutboxScreen.self, tab: "tab"))
        #expect(await eventually { screen.model.isLoaded })
        #expect(await world.states(OutboxScreen.self).next()?.contains(#""isEmpty":false"#) == true)
        withExtendedLifetime(before) {}
    }
}
