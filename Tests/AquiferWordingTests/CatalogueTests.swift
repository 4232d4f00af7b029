import AquiferWording
import Foundation
import Testing

@Suite("The catalogues")
struct CatalogueTests {
    @Test("have the same keys, placeholders and the forms of their language", arguments: Language.builtIn)
    func builtIn(language: Language) {
        #expect(language.texts.count > 80)
        #expect(language.faults().isEmpty)
        for (key, text) in language.texts {
            #expect(key.wholeMatch(of: /[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*/) != nil, "\(key)")
            #expect(text != .plain(""), "\(key)")
        }
    }

    @Test("Every fault is found and named")
    func faults() {
        let reference = Language(
            tag: "en", fallback: nil,
            texts: ["a": "{x}", "b": "b", "n": ["one": "{count}", "other": "{count}"], "z": "z"])
        let catalogue = Language(
            tag: "pl", plural: PluralRule { $0 == 1 ? .one : .many }, fallback: nil,
            texts: [
                "a": "{y}", "c": "c", "n": ["=0": "none", "one": "{count}", "few": "{count}", "other": "{count}"],
                "z": "ż",
            ])
        #expect(
            catalogue.faults(against: reference) == [
                .placeholders(key: "a", expected: ["x"], found: ["y"]), .missing(key: "b"), .unknown(key: "c"),
                .missingForm(key: "n", form: "many"), .unknownForm(key: "n", form: "few"),
            ])
        #expect(catalogue.faults(against: reference, under: ["b", "z"]) == [.missing(key: "b")])
        for fault in catalogue.faults(against: reference) { #expect(fault.description.contains(" ")) }
    }
}
