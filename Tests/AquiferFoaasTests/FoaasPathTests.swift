import Foundation
import Testing

@testable import AquiferFoaas

@Suite("A path")
struct FoaasPathTests {
    private let base = URL(string: "http://foaas.example/api/")!

    @Test("takes its placeholders from the url, in its order, whatever the order of the fields")
    func order() throws {
        var builder = FoaasPathBuilder(FoaasWorld.gift)
        #expect(builder.placeholders == ["name", "thing", "from"] && builder.path == "/gift/:name/:thing/:from")
        try builder.set("F", for: "from")
        #expect(builder.path == "/gift/:name/:thing/F" && builder.missing == ["name", "thing"])
        try builder.set("N", for: "name")
        try builder.set("T", for: "thing")
        #expect(builder.path == "/gift/N/T/F" && builder.isComplete)
    }

    @Test("has its placeholder back when a value is cleared")
    func cleared() throws {
        var builder = FoaasPathBuilder(FoaasWorld.awesome)
        try builder.set("louis", for: "from")
        #expect(builder.path == "/awesome/louis" && builder["from"] == "louis")
        try builder.set("", for: "from")
        #expect(builder.path == "/awesome/:from" && builder["from"] == nil && !builder.isComplete)
    }

    @Test(
        "encodes every value as one segment, of which every character arrives",
        arguments: [
            ("a/b c?d#e%f", "a%2Fb%20c%3Fd%23e%25f"), ("😀", "%F0%9F%98%80"), ("שלום", "%D7%A9%D7%9C%D7%95%D7%9D"),
            ("%2F", "%252F"), ("a+b&c=d;e", "a%2Bb%26c%3Dd%3Be"), (".", "%2E"), ("..", "%2E%2E"), ("...", "..."),
            (" ", "%20"), ("a~b-c_d.e", "a~b-c_d.e"), ("\n\u{0}", "%0A%00"), (":from", "%3Afrom"), ("é", "%C3%A9"),
        ])
    func encoded(value: String, segment: String) throws {
        var builder = FoaasPathBuilder(FoaasWorld.awesome)
        try builder.set(value, for: "from")
        let url = try builder.url(base: base)
        #expect(url.absoluteString == "http://foaas.example/api/awesome/\(segment)")
        #expect(segment.removingPercentEncoding == value)
    }

    @Test("takes a value of 8 kB")
    func long() throws {
        var builder = FoaasPathBuilder(FoaasWorld.awesome)
        try builder.set(String(repeating: "x", count: 8000), for: "from")
        #expect(try builder.url(base: base).absoluteString.hasSuffix("xxx"))
    }

    @Test("says when it would be longer than a server takes")
    func tooLong() throws {
        var builder = FoaasPathBuilder(FoaasWorld.awesome)
        try builder.set(String(repeating: "😀", count: 2000), for: "from")
        #expect(throws: FoaasPathError.tooLong(limit: FoaasPathBuilder.longest)) { try builder.url(base: base) }
        #expect("\(FoaasPathError.tooLong(limit: 15_000))".contains("15000 bytes"))
    }

    @Test("names what is still to be filled in")
    func missing() {
        #expect(throws: FoaasPathError.missing(["name", "thing", "from"])) {
            try FoaasPathBuilder(FoaasWorld.gift).url(base: base)
        }
        #expect("\(FoaasPathError.missing(["name", "from"]))" == "still to be filled in: name, from")
    }

    @Test("refuses a placeholder that it does not have, naming those it has")
    func unknown() {
        var builder = FoaasPathBuilder(FoaasWorld.gift)
        #expect(throws: FoaasPathError.unknown("form", known: ["name", "thing", "from"])) {
            try builder.set("x", for: "form")
        }
        #expect("\(FoaasPathError.unknown("form", known: ["a", "b"]))".contains("a, b"))
        var version = FoaasPathBuilder(FoaasWorld.version)
        #expect(throws: FoaasPathError.unknown("x", known: [])) { try version.set("1", for: "x") }
    }

    @Test("is complete at once without placeholders")
    func none() throws {
        #expect(
            try FoaasPathBuilder(FoaasWorld.version).url(base: base).absoluteString
                == "http://foaas.example/api/version")
    }
}

@Suite("The profanity filter")
struct ProfanityFilterTests {
    @Test(
        "takes the first vowel of a swear word, case kept",
        arguments: [
            ("This is fucking awesome.", "This is f*cking awesome."), ("FUCK", "F*CK"),
            ("Shit happens", "Sh*t happens"),
            ("Damn.", "D*mn."), ("motherfucker", "motherf*cker"), ("Bullshit!", "Bullsh*t!"), ("asshole", "*sshole"),
            ("What the hell?", "What the h*ll?"), ("oh crap, crappy", "oh cr*p, cr*ppy"), ("dumbasses", "dumb*sses"),
            ("goddamn", "godd*mn"), ("damn's", "d*mn's"), ("(bastards)", "(b*stards)"), ("shit-show", "sh*t-show"),
            ("fuck/off", "f*ck/off"), ("Arse", "*rse"),
        ])
    func masks(text: String, filtered: String) {
        #expect(ProfanityFilter.filter(text) == filtered)
    }

    @Test(
        "knows words, not runs of letters",
        arguments: [
            "Scunthorpe", "assassin", "class", "classic", "assess", "pass", "hello", "shell", "Michelle", "cockpit",
            "peacock", "Dickens", "title", "scrap", "bass", "shiitake", "Essex", "harass", "", "naïve 😀 שלום",
        ])
    func leaves(text: String) {
        #expect(ProfanityFilter.filter(text) == text)
    }

    @Test("changes nothing twice")
    func idempotent() {
        let once = ProfanityFilter.filter("Damn this shit.")
        #expect(ProfanityFilter.filter(once) == once)
    }
}
