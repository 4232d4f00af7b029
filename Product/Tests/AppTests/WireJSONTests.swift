import Aquifer
import AquiferImageFeed
import Foundation
import Testing

@testable import App

@Suite("JSON for programs")
struct WireJSONTests {
    @Test(
        "Any text is read back as it was, by another reader of JSON",
        arguments: [
            "", "plain", "\"quoted\" \\ / back", "line\nfeed\ttab\r", "\u{0}\u{1}\u{1F}\u{7F}\u{9B}31m",
            "Çeşme 🏔️ \u{2028}\u{2029}", "</script>",
        ])
    func strings(text: String) throws {
        let json = WireJSON.text([text])
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
        #expect(!json.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test("A load is reported with its source, stamp, reason and save error, each null when there is none")
    func report() {
        let item = FeedItem(
            id: UUID(uuidString: "0A0A0A0A-0000-0000-0000-000000000001")!, description: nil, location: "Olinda",
            image: URL(string: "http://a.example/1.jpg")!)
        let json =
            #"{"description":null,"id":"0A0A0A0A-0000-0000-0000-000000000001","image":"http://a.example/1.jpg","location":"Olinda"}"#
        func text(_ loaded: Loaded<[FeedItem]>) -> String {
            WireJSON.text(ResultDocument(loaded) { $0.map(FeedItemDocument.init) })
        }
        let savedAt = Date(timeIntervalSince1970: 1_780_000_000)
        #expect(
            text(Loaded([item], source: .remote, savedAt: savedAt))
                == #"{"because":null,"saveError":null,"savedAt":"2026-05-28T20:26:40Z","source":"remote","value":[\#(json)]}"#
        )
        #expect(
            text(Loaded([], source: .cache(savedAt: savedAt, because: .invalidData(.status(503))), savedAt: savedAt))
                == #"{"because":"invalidData","saveError":null,"savedAt":"2026-05-28T20:26:40Z","source":"cache","value":[]}"#
        )
        #expect(
            text(Loaded([], source: .remote, saveError: .full(path: "/d")))
                .contains(#""saveError":"there is no room left"#))
        #expect(text(Loaded([], source: .remote, saveError: .full(path: "/d"))).contains(#""savedAt":null"#))
    }

    @Test("A picture has author, date, number of comments and size if its remote tells them")
    func extendedItem() throws {
        let item = FeedItem(
            id: UUID(), description: nil, location: nil, image: try #require(URL(string: "http://a.example/1.jpg")),
            author: "Ana Prado", createdAt: Date(timeIntervalSince1970: 1_780_000_000), commentCount: 0,
            size: FeedItem.Size(width: 800, height: 600))
        let text = WireJSON.text(FeedItemDocument(item))
        #expect(
            text.contains(#""author":{"username":"Ana Prado"},"commentCount":0,"createdAt":"2026-05-28T20:26:40Z""#))
        #expect(text.contains(#""height":600"#) && text.contains(#""width":800"#))
    }

    @Test("Marks that would climb over other lines are escaped, and none is lost")
    func marks() throws {
        let text = "a" + String(repeating: "\u{301}", count: 3_000) + "z"
        let json = WireJSON.text(text)
        #expect(json.unicodeScalars.count { $0 == "\u{301}" } == 8)
        let read = try JSONDecoder().decode(String.self, from: Data(json.utf8))
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
        #expect(WireJSON.text("e\u{301}") == "\"e\u{301}\"")
    }

    @Test("A time has a year of four digits")
    func times() {
        #expect(WireJSON.text(Date(timeIntervalSince1970: 1_780_000_000)) == "\"2026-05-28T20:26:40Z\"")
        #expect(WireJSON.text(Date(timeIntervalSince1970: 1e18)) == "\"9999-12-31T23:59:59Z\"")
    }

    @Test("Nothing in it drives a terminal, ends a line or hides, and nothing is lost")
    func harmless() throws {
        let text = "a\u{1B}]52;c;x\u{7}\u{9B}\u{7F}\r\n\u{202E}\u{2066}\u{200B}\u{FEFF}\u{2028}\u{2029}\u{E0041}b"
        let json = WireJSON.text(text)
        #expect(json.utf8.filter { $0 < 0x20 || $0 >= 0x7F } == [])
        #expect(try JSONDecoder().decode(String.self, from: Data(json.utf8)) == text)
    }
}
