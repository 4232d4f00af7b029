import AquiferCrypto
import AquiferTesting
import Foundation
import HTTPServer
import Testing

@testable import App

@Suite("The linked pages", .timeLimit(.minutes(5)))
struct LinkedPagesTests {
    private func pages(_ files: [String: String]) async throws -> (isLinked: Bool, main: String, html: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-pages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let pages = try LinkedPages(folder: folder)
        func text(_ path: String) async throws -> String {
            let answer = try #require(pages.response(for: ServerRequest(.get, path)))
            return String(decoding: try await answer.collectBody(), as: UTF8.self)
        }
        return (pages.isLinked, try await text("/assets/\(pages.version)/js/main.js"), try await text("/"))
    }

    @Test("The modules are one file, unless one was changed since they were linked, or they never were")
    func linked() async throws {
        var files = [
            "index.html": """
            <script type="module" src="/assets/js/begin.js"></script>
            <script type="module" src="/assets/js/main.js"></script>
            """, "js/main.js": "import './a/b.js';", "js/begin.js": "// begin", "js/a/b.js": "// b",
            "linked/main.js": "(main)", "linked/begin.js": "(begin)",
        ]
        var hash = SHA256Hash()
        // In the order of the bytes of their paths.
        for path in ["js/a/b.js", "js/begin.js", "js/main.js"] { hash.update(Data((files[path] ?? "").utf8)) }
        let sum = hash.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        var pages = try await pages(files)
        #expect(!pages.isLinked && pages.main == "import './a/b.js';")
        #expect(pages.html.contains("<script type=\"module\" src=\"/assets/"))
        files["linked/sources.sha256"] = sum + "\n"
        pages = try await self.pages(files)
        #expect(pages.isLinked && pages.main == "(main)")
        #expect(pages.html.contains("<script src=\"/assets/"))
        files["js/a/b.js"] = "// changed"
        pages = try await self.pages(files)
        #expect(!pages.isLinked && pages.main == "import './a/b.js';")
    }

    @Test(
        "Files of this version are kept for ever, compressed for who takes it; the page is asked for again, and is the same"
    )
    @MainActor
    func answers() async throws {
        let world = AppWorld()
        let version = try LinkedPages.own.get().version
        let script = "/assets/\(version)/js/main.js"
        for (accepted, isPacked) in [
            ("gzip, br", true), ("br", false), ("gzip;q=0", false), ("GZIP; q=0.5", true), ("", false),
        ] {
            let answer = await world.request("GET", script, "", ["Accept-Encoding": accepted])
            #expect(answer.status == 200 && answer.headers["Vary"] == "Accept-Encoding", "\(accepted)")
            #expect((answer.headers["Content-Encoding"] == "gzip") == isPacked, "\(accepted)")
            #expect(answer.headers["Cache-Control"] == "public, max-age=31536000, immutable")
            let bytes = try await answer.collectBody()
            #expect((bytes.prefix(2) == Data([0x1f, 0x8b])) == isPacked)
        }
        #expect(await world.request("GET", "/assets/0000000000000000/js/main.js").status == 404)
        #expect(await world.request("GET", "/assets/\(version)/js/none.js").status == 404)
        let page = await world.request("GET", "/contacts")
        #expect(page.headers["Cache-Control"] == "no-cache")
        let html = String(decoding: try await page.collectBody(), as: UTF8.self)
        #expect(html.contains("src=\"/assets/\(version)/js/main.js\"></script>"))
        let tag = try #require(page.headers["ETag"])
        #expect(await world.request("GET", "/contacts", "", ["If-None-Match": tag]).status == 304)
    }
}
