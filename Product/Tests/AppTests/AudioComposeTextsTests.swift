import Aquifer
import AquiferAudioFeed
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import App

/// The page of a new clip says of a cancelled post no less and no more than is known.
@MainActor
@Suite("A post that was cancelled, in the page's words", .timeLimit(.minutes(10)))
struct AudioComposeTextsTests {
    private func message(_ screen: AudioComposeScreen, _ language: Language) -> String {
        screen.state(ScreenContext(language: language, now: Date(timeIntervalSince1970: 0))).message ?? "(none)"
    }

    /// A screen whose post is cancelled; before or after all of it has gone out.
    private func cancelled(
        late: Bool, _ store: any CacheStore = MemoryStore(), change: @Sendable () async throws -> Void = {}
    ) async throws -> AudioComposeScreen {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-compose-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let client = ScriptedHTTPClient()
        let clock = Date(timeIntervalSince1970: 1_780_000_000)
        let saved = MemoryStore()
        let downloads = folder.appending(path: "audio")
        let service = AudioFeedService(
            base: try #require(URL(string: "http://audio.example")), client: client, store: saved,
            downloads: { () throws(StoreError) in
                try Downloads(directory: downloads, client: client, retry: .never, now: { clock })
            },
            outbox: AudioFeedService.outbox(
                in: store, files: .folder(folder.appending(path: "outbox")), client: client,
                policy: SendPolicy(now: { clock }), store: saved, now: { clock }),
            now: { clock })
        let screen = AudioComposeScreen(service, uploads: Uploads(folder.appending(path: "uploads")))
        let file = folder.appending(path: "clip.mp3")
        try (Data("ID3".utf8) + Data(repeating: 7, count: 1000)).write(to: file)
        screen.model.choose(file, name: "a.mp3")
        screen.model.type("Rain")
        let sending = Task { await screen.model.send() }
        let exchange = await client.exchange(0)
        if late { exchange.takeBody() }
        try await change()
        screen.model.cancel()
        await exchange.waitForCancellation()
        await sending.value
        return screen
    }

    @Test("Before all of it was sent: it was not posted")
    func early() async throws {
        let screen = try await cancelled(late: false)
        #expect(message(screen, .english) == "Cancelled. It was not posted.")
        #expect(message(screen, .brazilianPortuguese) == "Cancelado. Não foi publicado.")
    }

    @Test("After all of it was sent: it may have arrived, and it waits under its key")
    func late() async throws {
        let screen = try await cancelled(late: true)
        let (english, portuguese) = (message(screen, .english), message(screen, .brazilianPortuguese))
        #expect(english.hasPrefix("Cancelled, but it may have arrived. It is in the outbox, paused."))
        #expect(portuguese.hasPrefix("Cancelado, mas pode ter chegado. Está na caixa de saída, em pausa."))
        #expect(!english.contains("not posted") && !portuguese.contains("Não foi"))
    }
}
