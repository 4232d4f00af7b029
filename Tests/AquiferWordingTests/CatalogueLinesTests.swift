import Foundation
import Testing

@testable import AquiferWording

@Suite("A catalogue with a text a line", .timeLimit(.minutes(10)))
struct CatalogueLinesTests {
    private static let catalogues: [[UInt8]] = [englishTexts, brazilianPortugueseTexts].map {
        $0.withUTF8Buffer { [UInt8]($0) }
    }

    @Test("is read as the decoder of JSON reads it", arguments: catalogues)
    func builtIn(bytes: [UInt8]) throws {
        let texts = try #require(CatalogueLines.texts(bytes))
        #expect(try texts == JSONDecoder().decode([String: Language.Text].self, from: Data(bytes)))
        #expect(texts.count > 800)
    }

    @Test(
        "may have lines that only the decoder can read",
        arguments: [
            #"  "a": "says \"no\"","#, #"  "a": {"one": "\u00e9", "other": "b"},"#, #"  "a" : "b","#, #"  "a":"b""#,
            #"  "a": {"one":"b","other":"c"}"#, #"  "a": {}"#, "\t\"a\": \"b\"", #"  "a": "b", "c": "d""#,
            #"  "a\n": "b""#,
        ])
    func odd(line: String) throws {
        let document = "{\n\(line)\n}\n"
        let valid = line.hasSuffix(",") ? "{\n\(line.dropLast())\n}\n" : document
        let decoded = try JSONDecoder().decode([String: Language.Text].self, from: Data(valid.utf8))
        #expect(CatalogueLines.texts([UInt8](document.utf8)) == decoded)
    }

    @Test(
        "is not one with anything else in it",
        arguments: [
            "", "{}", "{\n", "[\n]\n", "{\n\"a\"\n}\n", "{\n\"a\": 1\n}\n", "{\n\"a\": \"b\n}\n", "{\n\"a\": \"b\"}\n",
            "{\n\"a\":\n\"b\"\n}\n", "{\n\"a\": \"\u{1}\\x\"\n}\n",
        ])
    func none(document: String) {
        #expect(CatalogueLines.texts([UInt8](document.utf8)) == nil)
    }

    @Test("gives one text as it gives all", arguments: catalogues)
    func one(bytes: [UInt8]) throws {
        let texts = try #require(CatalogueLines.texts(bytes))
        for (key, text) in texts { #expect(CatalogueLines.text(of: key, in: bytes) == text, "\(key)") }
        #expect(CatalogueLines.text(of: "load", in: bytes) == nil)
        #expect(CatalogueLines.text(of: "", in: bytes) == nil)
    }

    @Test("whose texts are asked for one by one gives each, and nothing for a key that it does not have")
    func document() {
        let keys = (0..<30).map { "key\($0)" }
        let odd = #"  "odd" : "says \"no\"","#
        let lines = keys.map { "  \"\($0)\": \"text of \($0)\"," } + [odd, #"  "last": "the end""#]
        let document = CatalogueDocument([UInt8](("{\n" + lines.joined(separator: "\n") + "\n}\n").utf8))
        for key in keys { #expect(document.text(key) == .plain("text of \(key)")) }
        let another = CatalogueDocument([UInt8](("{\n" + lines.joined(separator: "\n") + "\n}\n").utf8))
        #expect(another.text("last") == .plain("the end"))
        #expect(another.text("odd") == .plain("says \"no\""))
        #expect(another.text("nothing") == nil)
        #expect(another.all.count == 32)
    }
}
