import Aquifer
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("Files that pages hand over", .timeLimit(.minutes(10)))
struct UploadsTests {
    /// A folder for uploads that is removed afterwards.
    private func withFolder(_ use: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-uploads-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        try await use(folder)
    }

    private func body(_ text: String) -> ServerRequestBody {
        ServerRequest("POST", "/", headers: HTTPHeaders(), body: Data(text.utf8)).body
    }

    private func text(_ file: URL) -> String? {
        (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }  // nil is what is looked for
    }

    @Test("stay while their server lives, though a second one on the same folder begins to take files")
    func secondServer() async throws {
        try await withFolder { folder in
            let (first, second) = (Uploads(folder), Uploads(folder))
            let one = try await first.take(body("one"), limit: 100)
            let named = try await first.take(body("sound"), limit: 100, named: "clip.mp3")
            let two = try await second.take(body("two"), limit: 100)
            #expect(text(one) == "one" && text(named) == "sound" && text(two) == "two")
            // The second one removes only files of its own.
            second.remove(one)
            #expect(text(one) == "one")
            first.remove(one)
            first.remove(named)
            #expect(text(one) == nil && text(named) == nil && text(two) == "two")
        }
    }

    @Test("are removed by the next server once theirs has ended, with whatever else lies there")
    func leftovers() async throws {
        try await withFolder { folder in
            var dead: Uploads? = Uploads(folder)
            let left = try #require(try await dead?.take(body("one"), limit: 100))
            dead = nil
            let stray = folder.appending(path: UUID().uuidString)
            try Data("stray".utf8).write(to: stray)
            _ = try await Uploads(folder).take(body("two"), limit: 100)
            #expect(text(left) == nil && text(stray) == nil)
        }
    }

    @Test("that are too large leave nothing")
    func tooLarge() async throws {
        try await withFolder { folder in
            await #expect(throws: UploadRefusal.self) { try await Uploads(folder).take(body("12345"), limit: 4) }
            let left = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
            #expect(left.allSatisfy { !$0.contains("/") })
        }
    }

    @Test("of a new clip come back to the tab that keeps them, as data, and to no other")
    func chosenClip() async throws {
        let world = await AppWorld()
        let path = "/api/screens/audio-compose/file?tab="
        #expect(await world.request("GET", path + "one").status == 404)
        #expect(await world.request("POST", path + "one&name=tone.mp3", "ID3 sound").status == 204)
        let kept = await world.request("GET", path + "one")
        #expect(kept.status == 200 && kept.headers["Content-Type"] == "application/octet-stream")
        #expect(await world.request("GET", path + "two").status == 404)
        await world.services.stop()
    }
}
