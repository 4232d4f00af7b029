import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("The linked pages", .timeLimit(.minutes(5)))
struct LinkedPagesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources/App/Public")

    private func link(_ modules: [String: String]) throws(PageFault) -> [String: PageLinker.Chunk] {
        try PageLinker(root: "js/main.js") { modules[$0] }.chunks()
    }

    @Test("Each module of the pages is in one file, and each address has the module of its screen")
    func everyModule() throws {
        let chunks = try PageLinker(root: "js/main.js") {
            try? String(contentsOf: Self.folder.appending(path: $0), encoding: .utf8)
        }.chunks()
        let linked = chunks.values.flatMap(\.modules)
        #expect(linked.count == Set(linked).count)
        let names = try #require(FileManager.default.enumerator(atPath: Self.folder.appending(path: "js").path))
        let all = names.compactMap { $0 as? String }.filter { $0.hasSuffix(".js") }.map { "js/\($0)" }
        #expect(Set(all).subtracting(linked) == ["js/begin.js"])
        let pages = try LinkedPages.own.get()
        for (path, module) in [
            ("/", "feed"), ("/feed/a", "comments"), ("/feed/a/picture", "viewer"), ("/contacts", "contacts"),
            ("/pay/17", "payment"),
            ("/cards/new", "card-form"),
            ("/foaas/operations/off", "foaas-preview"), ("/drive/new", "drive-create"), ("/drive/x", "drive-account"),
            ("/inspector/", "inspector"),
        ] {
            #expect(pages.routes.module(at: path) == "js/screens/\(module).js", "\(path)")
        }
        #expect(pages.routes.module(at: "/nowhere") == nil)
        #expect(pages.routes.modules.isSubset(of: chunks.keys))
    }

    @Test(
        "A route without a module is a fault with its line, and so are no routes at all",
        arguments: [
            (
                "  one: /^\\/$/,\n  two: /^\\/two$/,", "  one: x(() => import(\"./screens/one.js\")),",
                "js/logic/routes.js:2"
            ),
            ("  one: /^\\/$/,", "const one = x(() => import(\"./screens/one.js\"));", "js/logic/routes.js:1"),
            ("// none", "  one: x(() => import(\"./screens/one.js\")),", "js/logic/routes.js"),
        ])
    func routesWithoutModules(routes: String, main: String, place: String) {
        let fault = #expect(throws: PageFault.self) { try PageRoutes(routes: routes, main: main) }
        #expect(fault?.place == place)
    }

    @Test("What several screens need is in the first file; what one needs is in its own; each line stays where it was")
    func files() throws {
        let chunks = try link([
            "js/main.js":
                "import { a } from \"./a.js\";\nconst x = () => import(\"./screens/x.js\");\nconst y = () => import(\"./screens/y.js\");\na();",
            "js/a.js": "export const a = () => 1;",
            "js/shared.js": "import {\n  a as b,\n} from \"./a.js\";\nexport { b as c };\nexport async function d() {}",
            "js/screens/x.js":
                "import { c } from \"../shared.js\";\nimport { only } from \"../only.js\";\nexport class X {}",
            "js/screens/y.js":
                "import { X } from \"./x.js\";\nimport { c, d } from \"../shared.js\";\nimport \"../a.js\";\nexport class Y extends X {}",
            "js/only.js": "export function only() {}",
        ])
        #expect(chunks["js/main.js"]?.modules == ["js/a.js", "js/shared.js", "js/main.js"])
        #expect(chunks["js/screens/x.js"]?.modules == ["js/only.js", "js/screens/x.js"])
        #expect(chunks["js/screens/y.js"]?.needs == ["js/main.js", "js/screens/x.js"])
        let main = try #require(chunks["js/main.js"])
        #expect(main.text.contains("const { a: b } = $1;\n\n\n\nasync function d() {}\n$3 = { c: b, d };"))
        let origin = main.text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.hasPrefix("async function d")
        }
        let line = try #require(origin)
        let place = try #require(main.origins[line])
        #expect(main.modules[place.module] == "js/shared.js" && place.line == 4)
    }

    @Test(
        "A form that is not linked is a fault with its place, not a broken page",
        arguments: [
            ("import * as all from \"./a.js\";", "js/main.js:1"), ("x();\nexport default 1;", "js/main.js:2"),
            ("export let changing = 1;", "js/main.js:1"), ("import { a } from \"elsewhere\";", "js/main.js:1"),
            ("import { a } from \"./none.js\";", "js/none.js"), ("import { a } from \"./main.js\";", "js/main.js"),
            ("import {\n  a", "js/main.js"), ("/**\n */ a();", "js/main.js:2"),
        ])
    func faults(source: String, place: String) {
        let fault = #expect(throws: PageFault.self) {
            try link(["js/main.js": source, "js/a.js": "export const a = 1;"])
        }
        #expect(fault?.place == place)
        #expect(fault?.description.isEmpty == false)
    }

    @Test("A comment with lines of its own is left out, and each line stays where it was")
    func comments() throws {
        let chunks = try link([
            "js/main.js":
                "// one */ line\n/**\n * Two lines; import(\"./none.js\").\n */\nconst a = 1; // kept\n  /** short */\n/** @type {A} */ (b);"
        ])
        let main = try #require(chunks["js/main.js"])
        #expect(main.text.contains("\n\n\n\n\nconst a = 1; // kept\n\n/** @type {A} */ (b);\n"))
        #expect(!main.text.contains("lines") && !main.text.contains("short"))
    }

    @Test("A type that a comment names is not loaded; a module is")
    func types() throws {
        let module = try PageModule(
            path: "js/main.js",
            source:
                "const a = /** @type {import(\"./types.js\").Entry} */ (b);\nimport(\"./one.js\").then(c); import(\"./two.js\");"
        )
        #expect(module.later == ["js/one.js", "js/two.js"])
    }

    @Test(
        "Numbers of a source map have the digits of the format",
        arguments: [(0, "A"), (1, "C"), (-1, "D"), (16, "gB"), (-17, "jB"), (1000, "w+B")])
    func digits(number: Int, text: String) {
        #expect(SourceMap.digits(number) == text)
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
        #expect(html.contains("<link rel=\"modulepreload\" href=\"/assets/\(version)/js/screens/contacts.js\">"))
        #expect(html.contains("<script src=\"/assets/\(version)/js/begin.js\"></script>"))
        let tag = try #require(page.headers["ETag"])
        #expect(await world.request("GET", "/contacts", "", ["If-None-Match": tag]).status == 304)
        #expect(await world.request("GET", "/drive", "", ["If-None-Match": tag]).status == 200)
    }
}
