import Testing

@testable import Aquifer

@Suite("A message about changes, between the stores of several machines")
struct ToldChangeTests {
    private static let keys = ["a", "é ,", "e\u{301}", ""]

    @Test("says to others what it was made of", arguments: keys)
    func one(key: String) {
        for change in [StoreChange.entry(key), .prefix(key)] {
            let text = ToldChange.text(change, from: "me")
            #expect(ToldChange.changes(text, to: "you") == [change])
            #expect(ToldChange.change(text, to: "you") == change)
        }
    }

    @Test("says several entries at once")
    func several() {
        let keys = ["a", "é ,", "b"]
        let text = ToldChange.text(entries: keys, from: "me")
        #expect(ToldChange.changes(text, to: "you") == keys.map { .entry($0) })
        // A reader of single changes looks at everything.
        #expect(ToldChange.change(text, to: "you") == .everything)
    }

    @Test("says nothing to its own sender")
    func own() {
        for text in [
            ToldChange.text(.entry("a"), from: "me"), ToldChange.text(entries: ["a", "b"], from: "me"), "me ",
        ] {
            #expect(ToldChange.changes(text, to: "me") == nil)
            #expect(ToldChange.change(text, to: "me") == nil)
            #expect(ToldChange.changes(text, to: "m") != nil)
        }
    }

    @Test(
        "that cannot be read says that anything may have changed",
        arguments: [
            "", "me", "me entry", "me entry 6", "me entry 6x", "me entries 61,6", "me later 61", "me entry 61 62",
            "me entries ",
            "me  61",
            "me everything",
        ])
    func unknown(text: String) {
        #expect(ToldChange.changes(text, to: "you") == [.everything])
        #expect(ToldChange.change(text, to: "you") == .everything)
    }

    @Test("about keys that are too long for it says that anything may have changed")
    func long() {
        let key = String(repeating: "k", count: 4_000)
        for text in [ToldChange.text(.entry(key), from: "me"), ToldChange.text(entries: ["a", key], from: "me")] {
            #expect(ToldChange.changes(text, to: "you") == [.everything])
        }
    }
}
