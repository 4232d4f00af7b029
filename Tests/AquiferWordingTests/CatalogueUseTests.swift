import AquiferWording
import Foundation
import Testing

@Suite("The sources and the catalogues")
struct CatalogueUseTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Sources")

    private static func uses() throws -> [TextUse] {
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        return try (files?.allObjects as? [URL] ?? []).flatMap { file -> [TextUse] in
            guard let kind = TextUse.Kind(rawValue: file.pathExtension) else { return [] }
            return TextUse.all(
                in: try String(contentsOf: file, encoding: .utf8), of: kind, file: file.lastPathComponent)
        }
    }

    @Test("Every key that is used has a text, and gets a value for each placeholder")
    func missing() throws {
        let uses = try Self.uses().filter(\.isLookup)
        #expect(uses.count > 80)
        let wrong = TextUse.wrong(uses, in: Language.english.texts)
        #expect(wrong.isEmpty, "\(wrong)")
    }

    @Test("Every key is used")
    func unused() throws {
        let unused = TextUse.unused(try Self.uses(), of: Language.english.texts)
        #expect(unused.isEmpty, "\(unused)")
    }

    @Test("A missing key, a missing value and an unused key are found, in Swift and in JavaScript")
    func broken() {
        let swift = #"""
            language.text("a.one", ["x": x(1, "\(y)")]) + language.text("a.two", count: 2) + language.text("a.none")
            language.text("a.one", ["y": 1])
            language.text("b.\(kind)", ["x": 1])
            """#
        let uses = TextUse.all(in: swift, of: .swift, file: "A.swift")
        let texts: [String: Language.Text] = [
            "a.one": "{x}", "a.two": ["one": "{count}", "other": "{count}"], "b.red": "{x}", "b.blue": "{y}", "c": "c",
            "d.e": "d", "f.g": "f", "loading": "…",
        ]
        #expect(
            TextUse.wrong(uses, in: texts) == [
                "A.swift: a.none is in no catalogue", "A.swift: a.one needs [\"x\"] and gets [\"y\"]",
            ])
        #expect(TextUse.unused(uses, of: texts) == ["c", "d.e", "f.g", "loading"])

        let script =
            "h(\"loading\", t(isOn ? \"a.one\" : \"a.two\", item), t(`b.${kind}`, { x: 1, y }), [\"d.e\"], t(\"c\", { x }), t(\"g\"))"
        let others = TextUse.all(in: script, of: .js, file: "a.js")
        #expect(TextUse.wrong(others, in: texts) == ["a.js: g is in no catalogue"])
        #expect(TextUse.unused(others, of: texts) == ["f.g", "loading"])
    }
}
