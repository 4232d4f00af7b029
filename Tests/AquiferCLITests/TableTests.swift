import Testing

@testable import AquiferCLI

@Suite("Tables")
struct TableTests {
    @Test(
        "A letter counts as many columns as it takes on a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("ação", 4), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("한국어", 6), ("👍", 2),
            ("👍🏽", 2), ("👩🏽‍⚕️", 2), ("🇧🇷", 2), ("❤️", 2), ("€½", 2), ("�", 1), ("שלום", 4),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("Columns stay aligned under wide letters, combining marks and emoji")
    func alignment() {
        let lines = TextTable.lines(
            ["NAME", "ID"], [["ana", "1"], ["日本語", "2"], ["e\u{301}e\u{301}", "3"], ["👍🏽👍🏽", "4"]])
        #expect(lines == ["NAME    ID", "ana     1", "日本語  2", "e\u{301}e\u{301}      3", "👍🏽👍🏽    4"])
    }

    @Test("A cell cannot begin a row or leave its column")
    func forgery() {
        let lines = TextTable.lines(["NAME", "ID"], [["ana\n@eve  9", "1"], ["b\u{1B}[40Cb", "2\r\n3"]])
        #expect(lines == ["NAME         ID", "ana @eve  9  1", "b\u{FFFD}[40Cb      2 3"])
    }
}

@Suite("The line of progress")
struct MeterTests {
    /// The text that is written to standard error.
    private final class Screen: @unchecked Sendable {
        var text = ""
    }

    @Test("The title of a meter is printed like all remote text, within its forty columns")
    func title() {
        let screen = Screen()
        let meter = Meter(
            "getting \u{1B}[2J\n日" + String(repeating: "日", count: 40), on: StatusLine { screen.text += $0 })
        meter.show(1, of: 2)
        #expect(screen.text == "\r\u{1B}[Kgetting \u{FFFD}[2J " + String(repeating: "日", count: 13) + ": 50 %")
        meter.end()
        #expect(screen.text.hasSuffix(" %\r\u{1B}[K"))
    }

    @Test("Any numbers of a server make a percentage between 0 and 100")
    func numbers() {
        let screen = Screen()
        let meter = Meter("x", on: StatusLine { screen.text = $0 })
        meter.show(.max - 1, of: .max)
        #expect(screen.text.hasSuffix("x: 99 %"))
        meter.show(.max, of: 1)
        #expect(screen.text.hasSuffix("x: 100 %"))
        meter.show(0, of: .max)
        #expect(screen.text.hasSuffix("x: 0 %"))
    }

    @Test("A note replaces the line of progress, and is one line")
    func note() {
        let screen = Screen()
        let line = StatusLine { screen.text += $0 }
        line.show("x: 1 %")
        line.line("aquifer: a\nb")
        #expect(screen.text == "\r\u{1B}[Kx: 1 %\r\u{1B}[Kaquifer: a b\n")
    }
}
