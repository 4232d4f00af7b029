import Foundation
import Testing

@testable import App

@MainActor
@Suite("The golden settings of the phrases", .timeLimit(.minutes(10)))
struct GoldenSettingsTests {
    @Test("are those that were chosen then: unfiltered, on moss")
    func values() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-golden-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Tests/Golden/current/app/data/foaas.sqlite")
        try FileManager.default.copyItem(at: golden, to: folder.appending(path: "foaas.sqlite"))
        let world = AppWorld { $0.data = folder }
        let reader = world.states(FoaasSettingsScreen.self)
        #expect(await world.tell("foaas-settings?tab=tab", "appear") == 204)
        let state = await reader.state(with: #""palette":"moss""#)
        #expect(state.contains(#""filter":false"#) && state.contains(#""error":null"#))
        await world.services.stop()
    }
}
