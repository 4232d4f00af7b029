import Aquifer
import Foundation
import Testing

@Suite("A text that is searched for")
struct SearchTextTests {
    @Test(
        "is found whatever its case, accents, width and the space around it",
        arguments: [
            ("marcia", "Márcia", true), ("MÁRCIA", "marcia", true), ("  ci ", "Márcia", true), ("ａ", "A", true),
            ("", "anything", true), ("   ", "", true), ("x", "Márcia", false), ("mar cia", "Márcia", false),
        ])
    func found(query: String, text: String, isFound: Bool) {
        #expect(SearchText(query).isIn(text) == isFound)
    }

    @Test("is found in any of several texts")
    func several() {
        #expect(SearchText("b").isIn("a", "B") && !SearchText("c").isIn(["a", "b"]) && !SearchText("c").isIn([]))
    }

    @Test(
        "is found whatever the script",
        arguments: [
            ("strasse", "Straße"), ("STRASSE", "straẞe"), ("οδος", "Οδός"), ("αθηνα", "ᾈθήνα"), ("елка", "Ёлка"),
            ("ガム", "ｶﾞﾑ"), ("ｱ", "ア"), ("viet", "Việt"), ("istanbul", "İstanbul"),
        ])
    func scripts(query: String, text: String) {
        #expect(SearchText(query).isIn(text))
    }

    @Test("A mark that makes another letter counts")
    func marks() {
        #expect(!SearchText("か").isIn("が"))
    }

    @Test("finds each letter of Europe's scripts by what Foundation folds it to")
    func folding() {
        for value in UInt32(0x41)...0x52F {
            guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic else { continue }
            let folded = String(scalar).folding(
                options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
            #expect(SearchText(folded).isIn(String(scalar)), "U+\(String(value, radix: 16))")
        }
    }
}
