import Foundation
import Testing

@testable import AquiferCLI

@Suite("What errors repeat")
struct RedactionTests {
    @Test(
        "A card's number typed in the wrong place is left out",
        arguments: [
            ("\"4012888888881881\" is one word too many", "\"(digits left out)\" is one word too many"),
            ("\"4012 8888 8888 1881\" is wrong", "\"(digits left out)\" is wrong"),
            ("@x, 4012-8888-8888-1881.", "@x, (digits left out)."),
        ])
    func answers(text: String, shown: String) {
        #expect(text.withoutCardNumbers == shown)
    }

    private static let written = [
        "4242.4242.4242.4242", "4242_4242_4242_4242", "4242/4242/4242/4242", "4242,4242,4242,4242",
        "4242\u{2013}4242\u{2013}4242\u{2013}4242",
        "4242  4242  4242  4242",
        "\u{FF14}\u{FF12}\u{FF14}\u{FF12}\u{FF14}\u{FF12}\u{FF14}\u{FF12}\u{FF14}\u{FF12}\u{FF14}\u{FF12}",
        "4242424242424242x", "card4242424242424242", "4242\u{200B}4242\u{200B}4242\u{200B}4242",
    ]

    @Test("A card's number is left out, however it is written and wherever it is typed", arguments: written)
    func numbers(number: String) {
        for words in [
            ["cards", "default", number], ["pay", number, "10"], [number], ["feed", "list", "--limit", number],
        ] {
            let shown = Redaction(words).text("\"\(number)\" and \(number) are wrong")
            #expect(shown == "\"(digits left out)\" and (digits left out) are wrong", "\(words)")
        }
    }

    @Test("A secret is left out, too, where a combining mark follows it in an answer")
    func combiningMarks() {
        let shown = Redaction(["pay", "@ana", "4242424242424242"]).text("4242424242424242\u{301} is no amount")
        #expect(shown == "(digits left out)\u{301} is no amount")
        #expect("4111111111111111\u{301}".withoutCardNumbers == "(digits left out)\u{301}")
        #expect(Redaction([]).text("http://ana:secret@\u{301}/") == "http://(left out)@\u{301}/")
        #expect(Redaction(["cards", "default", "739"]).text("\"739\"\u{301}") == "\"(digits left out)\"\u{301}")
    }

    @Test("A number that is typed as several words is left out")
    func severalWords() {
        let shown = Redaction(["contacts", "4242.4242", "4242.4242"]).text("nobody is called \"4242.4242 4242.4242\"")
        #expect(shown == "nobody is called \"(digits left out)\"")
    }

    @Test("A word that may be a security code is not repeated by the commands of cards and payments")
    func codes() {
        #expect(
            Redaction(["pay", "@ana", "79,90", "739"]).text("\"739\" is one word")
                == "\"(digits left out)\" is one word")
        #expect(Redaction(["cards", "default", "739"]).text("\"739\" is no ID") == "\"(digits left out)\" is no ID")
        #expect(Redaction(["pay", "@ana", "79,90 739"]).text("\"79,90 739\"") == "\"(digits left out)\"")
        let pay = Redaction(["pay", "@ana739", "-0,50", "--card", "634BE73B"])
        #expect(pay.text("\"-0,50\" to \"@ana739\", \"634BE73B\"") == "\"-0,50\" to \"@ana739\", \"634BE73B\"")
        #expect(
            Redaction(["pay", "@ana", "739"]).text("R$ 739,00 with \u{2022}\u{2022}\u{2022}\u{2022} 4242")
                == "R$ 739,00 with \u{2022}\u{2022}\u{2022}\u{2022} 4242")
        #expect(
            Redaction(["cards", "739"]).text("\"cards 739\" is no command") == "\"(digits left out)\" is no command")
        #expect(Redaction(["feed", "list", "739"]).text("\"739\"") == "\"739\"")
    }

    @Test(
        "A code is not repeated either when it is glued to something, or taken apart",
        arguments: ["739a", "a739", "7-3-9", "7 3 9", "739!", "#739"])
    func gluedCodes(word: String) {
        #expect(
            Redaction(["pay", "@ana", "10", word]).text("\"\(word)\" is one word")
                == "\"(digits left out)\" is one word")
    }

    @Test("A code in an option that is none is not repeated", arguments: ["-c739", "--cvv739", "--code:739", "--739"])
    func codesInOptions(word: String) {
        #expect(!Redaction(["pay", "@ana", "10", word]).text("\(word) is not an option").contains("739"))
    }

    @Test("An amount that is wrong is repeated", arguments: ["10,005", "1.000", "1.000.000,00", "-0,50", "12,5"])
    func amounts(word: String) {
        #expect(Redaction(["pay", "@ana", word]).text("\"\(word)\" is no amount") == "\"\(word)\" is no amount")
    }

    @Test("A path is told as it is, whatever its digits")
    func paths() {
        let path = "/tmp/atk/202611221900.jpg"
        for words in [
            ["feed", "image", "X", "-o", path], ["feed", "image", "X", "--output=\(path)"], ["audio", "post", path],
        ] {
            #expect(Redaction(words).text("1 byte written to \(path)") == "1 byte written to \(path)")
            #expect(Redaction(words).text("202611221900.jpg cannot be read") == "202611221900.jpg cannot be read")
        }
        let both = Redaction(["feed", "image", "4242.4242.4242.4242", "-o", path])
        #expect(both.text("\"4242.4242.4242.4242\" is no ID; \(path)") == "\"(digits left out)\" is no ID; \(path)")
        let short = Redaction(["feed", "image", "X", "-o", "4"])
        #expect(short.text("4012888888881881 to 4") == "(digits left out) to 4")
    }

    @Test("A name and a password in an address are left out")
    func addresses() {
        let redaction = Redaction(["feed", "list", "--remote", "x=http://user:secretpw@a.example/x@y"])
        #expect(
            redaction.text("not \"x=http://user:secretpw@a.example/x@y\", see http://b.example")
                == "not \"x=http://(left out)@a.example/x@y\", see http://b.example")
    }

    @Test(
        "Everything else stays",
        arguments: [
            "0A0A0A0A-0000-0000-0000-000000000001 is gone", "00000000-0000-0000-0000-000000000000", "R$ 1.000.000,00",
            "feed:http://127.0.0.1:46123/v1/feed", "port 65535", "2026-11-21T01:52:02Z", "",
        ])
    func rest(text: String) {
        #expect(text.withoutCardNumbers == text)
        #expect(Redaction(["feed", "list"]).text(text) == text)
    }
}
