import Foundation
import Testing

@testable import App

@Suite("States beside the main actor", .timeLimit(.minutes(10)))
struct FeedDrawingTests {
    @Test("The feed's state is of the moment when it was asked for, and is made and encoded elsewhere")
    func feed() async throws {
        let world = await AppWorld()
        _ = try await world.load()
        let (draw, now) = await MainActor.run {
            let screen = world.site.hub.screen(FeedScreen.self, tab: "tab")!
            let context = ScreenContext(language: .english, now: world.date.now)
            return (screen.text(context), WireJSON.text(screen.state(context)))
        }
        await world.tell("feed?tab=tab", "loadMore")
        let isMain = Thread.isMainThread
        #expect(!isMain)
        #expect(draw() == now && now.contains("/api/screens/feed/images/"))
        await world.services.stop()
    }
}
