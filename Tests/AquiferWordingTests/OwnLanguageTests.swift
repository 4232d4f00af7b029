import Aquifer
import AquiferWording
import Foundation
import Testing

@Suite("A language of an app's own")
struct OwnLanguageTests {
    private let german = Language(
        tag: "de", texts: ["load.offline": "Keine Verbindung.", "number.decimal": ",", "number.group": "."])

    @Test("is passed as a dictionary, and an error speaks it")
    func dictionary() {
        #expect(LoadError.connectivity(.init(.offline)).message(in: german) == "Keine Verbindung.")
        #expect(german.number("1,234.5") == "1.234,5")
        #expect(german.locale.identifier == "de")
    }

    @Test("is passed as JSON, with plural forms")
    func json() throws {
        let json = Data(
            #"{"pets": {"=0": "keine Tiere", "one": "{count} Tier von {name}", "other": "{count} Tiere"}}"#.utf8)
        let language = try Language(tag: "de", json: json)
        #expect(language.text("pets", count: 0) == "keine Tiere")
        #expect(language.text("pets", count: 1, ["name": "Ana"]) == "1 Tier von Ana")
        #expect(language.text("pets", count: 2) == "2 Tiere")
        #expect(language.text("pets", count: -1, ["name": "Ana"]) == "-1 Tier von Ana")
        #expect(language.text("pets", count: .min).hasSuffix("Tiere"))
    }

    @Test("A document that is no catalogue is refused", arguments: ["", "[]", #"{"a": 1}"#, #"{"a": {"one": 2}}"#])
    func notACatalogue(text: String) {
        #expect(throws: CatalogueError.self) { try Language(tag: "de", json: Data(text.utf8)) }
    }

    @Test("A text that is missing is the fallback's; without a fallback it is the key")
    func fallback() {
        #expect(german.text("time.now") == "just now")
        let portuguese = Language(tag: "pt-PT", fallback: .brazilianPortuguese, texts: [:])
        #expect(portuguese.text("time.now") == "agora mesmo")
        #expect(Language(tag: "de", fallback: nil, texts: [:]).text("time.now") == "time.now")
    }

    @Test("A few texts can be changed, and the others stay")
    func changed() {
        let mine = Language(tag: "en", texts: ["time.now": "this moment"])
        #expect(mine.text("time.now") == "this moment")
        #expect(mine.text("load.serverFailed") == Language.english.text("load.serverFailed"))
        #expect(mine != .english && mine == Language(tag: "en", texts: ["time.now": "this moment"]))
    }

    @Test("A value is shown as it is, even if it looks like a placeholder; one without a value stays visible")
    func values() {
        let language = Language(tag: "en", texts: ["a": "{x} and {y}", "b": "an open { and {x}"])
        #expect(language.text("a", ["x": "{y}", "y": 1]) == "{y} and 1")
        #expect(language.text("a", ["x": 1]) == "1 and {y}")
        #expect(language.text("b", ["x": 1]).hasPrefix("an open {"))
    }

    @Test(
        "The rule of a language decides on the form",
        arguments: [
            (0, "other", "one", "other"), (1, "one", "one", "other"), (2, "other", "other", "other"),
            (1_000_000, "other", "other", "other"),
        ])
    func rules(count: Int, english: String, portuguese: String, japanese: String) {
        #expect(PluralRule.oneOther.category(count).rawValue == english)
        #expect(PluralRule.zeroOneOther.category(count).rawValue == portuguese)
        #expect(PluralRule.other.category(count).rawValue == japanese)
    }

    @Test("The best language is that of the tag, else one of the same primary language, else the first")
    func best() {
        let swiss = Language(tag: "de-CH", texts: [:])
        #expect(Language.best(for: "DE-ch", of: [.english, german, swiss]).tag == "de-CH")
        #expect(Language.best(for: "de-AT", of: [.english, german, swiss]).tag == "de")
        #expect(Language.best(for: "fr", of: [german, .english]).tag == "de")
    }

    @Test("Two languages with the same tag and texts are equal, however their fallbacks are made")
    func equality() {
        let texts: [String: Language.Text] = ["load.offline": .plain("Du bist offline.")]
        let base = Language(tag: "x", texts: [:])
        let german = Language(tag: "de", texts: texts)
        #expect(Language(tag: "de", fallback: base, texts: texts) == german)
        #expect(Language(tag: "de", fallback: .brazilianPortuguese, texts: texts) != german)
        #expect(Language(tag: "de", fallback: nil, texts: texts) != german)
        #expect(Language(tag: "de", texts: [:]) != german)
        let portuguese = Language(tag: "pt", fallback: nil, texts: Language.brazilianPortuguese.texts)
        #expect(Language(tag: "de", fallback: portuguese, texts: texts).texts["load.offline"] == texts["load.offline"])
        #expect(
            Language(tag: "de", fallback: portuguese, texts: texts)
                == Language(tag: "de", fallback: .brazilianPortuguese, texts: texts))
    }
}
