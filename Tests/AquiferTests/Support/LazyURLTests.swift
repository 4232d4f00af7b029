import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import struct Aquifer.LazyURL

@Suite("An address that is parsed when it is asked for")
struct LazyURLTests {
    @Test("Whatever is taken for a plain address is a URL with the same text", arguments: 0..<20 as Range<UInt64>)
    func plainIsURL(seed: UInt64) {
        var chance = SeededNumbers(seed: seed)
        var plain = 0
        for _ in 0..<4_000 {
            let text = Self.address(&chance)
            guard LazyURL.isPlain(text) else { continue }
            plain += 1
            #expect(URL(string: text)?.absoluteString == text, "\(text)")
            #expect(URL(string: text)?.isWebAddress == true, "\(text)")
        }
        #expect(plain > 100)
    }

    @Test("It is a URL exactly where Foundation says so", arguments: 0..<20 as Range<UInt64>)
    func agreesWithFoundation(seed: UInt64) {
        var chance = SeededNumbers(seed: seed)
        for _ in 0..<500 {
            let text = Self.address(&chance)
            #expect((LazyURL(text) == nil) == (URL(string: text) == nil), "\(text)")
            #expect(LazyURL(text)?.url == URL(foreign: text), "\(text)")
        }
    }

    @Test(
        "A plain address is not parsed before it is asked for, any other is",
        arguments: [
            ("https://pictures.example.com/v1/image/1.jpeg", true), ("http://127.0.0.1:8080/a?b=c&d=~", true),
            ("https://example.com", true),
            ("https://example.com/%20", false), ("https://[::1]/a", false), ("https://user@example.com/", false),
            ("https://example.com:123456/", false),
            ("ftp://example.com/", false), ("https:///a", false), ("https://example.com#a", false),
            ("https://exämple.com/", false), ("", false),
        ])
    func plain(text: String, isPlain: Bool) {
        #expect(LazyURL.isPlain(text) == isPlain)
    }

    @Test(
        "Escapes stay as they are beside what needs one",
        arguments: [
            ("https://a.example/a%20b|c.jpg", "https://a.example/a%20b%7Cc.jpg"),
            ("https://a.example/a%20b c.jpg", "https://a.example/a%20b%20c.jpg"),
            ("https://a.example/caf\u{e9}%2F.jpg", "https://a.example/caf%C3%A9%2F.jpg"),
            ("https://[::1]/i[1]%20.jpg?s=a%2Bb#[", "https://[::1]/i%5B1%5D%20.jpg?s=a%2Bb#%5B"),
            ("https://ex\u{e4}mple.com/100%/%zz%C3%a9/%", "https://xn--exmple-cua.com/100%25/%25zz%C3%a9/%25"),
            ("https://example.com?q=%20|", "https://example.com?q=%20%7C"), ("b//c|/%20", "b//c%7C/%20"),
        ])
    func escapes(text: String, address: String) {
        #expect(LazyURL(text)?.absoluteString == address)
    }

    @Test("It keeps a URL, and is equal to the same text")
    func keeps() throws {
        let url = try #require(URL(string: "https://example.com/a%20b#c"))
        #expect(LazyURL(url).url == url)
        #expect(LazyURL(url) == LazyURL("https://example.com/a%20b#c"))
        #expect(LazyURL(URL(filePath: "/tmp/a b")).url == URL(filePath: "/tmp/a b"))
    }

    @Test("Two are equal, and have one hash, exactly when their URLs do")
    func equality() throws {
        let base = try #require(URL(string: "https://example.com/a/"))
        let urls =
            try [
                "https://example.com/a/b", "https://example.com/a/c", "https://example.com/a/b#d",
                "https://EXAMPLE.com/a/b",
            ].map { try #require(URL(string: $0)) } + [try #require(URL(string: "b", relativeTo: base))]
        for one in urls {
            #expect(LazyURL(one).url.baseURL == one.baseURL)
            for other in urls {
                #expect((LazyURL(one) == LazyURL(other)) == (one == other), "\(one) and \(other)")
                if one == other { #expect(LazyURL(one).hashValue == LazyURL(other).hashValue) }
            }
        }
    }

    @Test(
        "It knows a web address as a URL does",
        arguments: ["https://example.com/a", "http://[::1]/", "ftp://example.com/a", "a/b", "https:///a", "mailto:a@b"])
    func webAddress(text: String) throws {
        #expect(LazyURL(text)?.isWebAddress == URL(string: text)?.isWebAddress)
    }

    /// An address with few or many mistakes in it.
    private static func address(_ chance: inout SeededNumbers) -> String {
        let starts = ["http://", "https://", "http://", "https://", "HTTPS://", "https:/", "ftp://", ""]
        var text = starts.randomElement(using: &chance) ?? ""
        text +=
            ["example.com", "127.0.0.1", "a-b.c", "-", ".", "[::1]", "exämple", "", "a..b", "xn--a"].randomElement(
                using: &chance) ?? ""
        text += ["", ":80", ":", ":99999", ":0", ":8a", ":0080"].randomElement(using: &chance) ?? ""
        let bytes = Array("abcXYZ019-._~/:@!$&'()*+,;=?/////%2#[]{}|\\^`\"<> \u{e9}\u{7f}\u{0}")
        if Bool.random(using: &chance) { text += "/" }
        for _ in 0..<Int.random(in: 0..<12, using: &chance) {
            let some = Bool.random(using: &chance) ? bytes[..<28] : bytes[...]
            text.append(some.randomElement(using: &chance) ?? "a")
        }
        return text
    }
}
