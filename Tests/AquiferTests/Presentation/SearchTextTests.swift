import Aquifer
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
}
