import Foundation
import Testing

@testable import AquiferHTTP

@Suite("The parts of messages that client and server share")
struct MessagePartsTests {
    @Test("Percent-encoding keeps unreserved bytes only, and decoding gives every text back")
    func percentEncoding() {
        #expect(PercentEncoding.encode("a-._~Z9") == "a-._~Z9")
        #expect(PercentEncoding.encode("a/b c?é%") == "a%2Fb%20c%3F%C3%A9%25")
        #expect(PercentEncoding.encode("/", uppercase: false) == "%2f")
        for text in ["", "a/b c?d#e%f", "100 %", "%41", "é🎵", "\u{0}\r\n\"", "e\u{301}/\u{301}"] {
            #expect(PercentEncoding.decode(PercentEncoding.encode(text)).utf8.elementsEqual(text.utf8))
        }
    }

    @Test(
        "Bytes are replaced wherever they are, also before a combining mark, and in one pass",
        arguments: [
            ("%22\u{301}%2", "%22", "\"", "\"\u{301}%2"), ("\r\n \u{301}", "\r\n ", " ", " \u{301}"),
            ("aaaaa", "aa", "a", "aaa"), ("a", "", "b", "a"), ("", "a", "b", ""),
            // The composed form of a letter is not the decomposed one.
            ("\u{e9}", "e\u{301}", "x", "\u{e9}"),
        ])
    func replacing(text: String, old: String, new: String, expected: String) {
        #expect(text.replacingExactly(old, with: new).isExactly(expected))
    }

    @Test("A percent sign without two digits stays, and bytes that are no text are replaced")
    func lenientDecoding() {
        #expect(PercentEncoding.decode("100%") == "100%")
        #expect(PercentEncoding.decode("%4g%2") == "%4g%2")
        #expect(PercentEncoding.decode("%FF") == "\u{FFFD}")
        #expect(PercentEncoding.decodeStrictly("a%20%C3%A9") == "a \u{E9}")
        for text in ["100%", "%4g", "%FF"] { #expect(PercentEncoding.decodeStrictly(text) == nil) }
        #expect(["::1", "[::1]", "a.example"].map(\.asURLHost) == ["[::1]", "[::1]", "a.example"])
        #expect(PercentEncoding.decodeQuery("a=1+2&b&c=%26=").map(\.name) == ["a", "b", "c"])
        #expect(PercentEncoding.decodeQuery("a=1+2&b&c=%26=").map(\.value) == ["1 2", "", "&="])
        // A sign that a combining mark follows is a sign.
        let marked = PercentEncoding.decodeQuery("a=\u{301}1&\u{301}b=+\u{301}")
        #expect(marked.map(\.name) == ["a", "\u{301}b"] && marked.map(\.value) == ["\u{301}1", " \u{301}"])
    }

    @Test("The range that a server writes is the range that a client reads")
    func contentRange() {
        #expect(ContentRange(ContentRange.text(2..<6, of: 10)) == ContentRange("bytes 2-5/10"))
        #expect(ContentRange("bytes 2-5/10")?.bytes == 2..<6)
        #expect(ContentRange("bytes 2-5/10")?.total == 10)
        #expect(ContentRange.text(nil, of: 10) == "bytes */10")
        #expect(ContentRange("bytes */10")?.bytes == nil)
        #expect(ContentRange(nil) == nil)
        #expect(ContentRange("bytes 5-2/10") == nil)
    }

    @Test("A field is one line if its name is a token and its value has no line break")
    func oneLine() {
        #expect(HTTPHeaders.Field("X-A", "b; c=\"d\"").isOneLine)
        for field in [("", "a"), ("A B", "a"), ("A:", "a"), ("A(", "a"), ("A", "a\r\nB: c"), ("A", "a\u{0}")] {
            #expect(!HTTPHeaders.Field(field.0, field.1).isOneLine)
        }
    }

    @Test("Setting others' fields replaces those of their names, whatever their case")
    func setting() {
        var headers: HTTPHeaders = ["A": "1", "b": "2"]
        headers.add("a", "3")
        #expect(headers.values(of: "A") == ["1", "3"])
        headers.set(["a": "4", "C": "5"])
        #expect(headers == HTTPHeaders([.init("b", "2"), .init("a", "4"), .init("C", "5")]))
    }

    @Test("Methods that may be repeated are the safe ones, PUT and DELETE")
    func methods() {
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] as [HTTPMethod] {
            #expect(method.isIdempotent)
        }
        for method in ["POST", "PATCH", "get", "X"] as [HTTPMethod] { #expect(!method.isIdempotent) }
        #expect(!HTTPMethod("PUT").isSafe && !HTTPMethod("DELETE").isSafe)
    }

    @Test("A range has digits and no signs; a parameter has a name")
    func strictness() {
        for text in ["bytes +2-5/10", "bytes 2-+5/10", "bytes 2-5/+10", "bytes 2-5/-10"] {
            #expect(ContentRange(text)?.total == nil && ContentRange(text)?.bytes == nil, "\(text)")
        }
        #expect(HeaderParameters("form-data; =a") == nil)
        #expect(HeaderParameters("form-data; =\"a\"; name=b") == nil)
        #expect(HeaderParameters("form-data;; name=b;") != nil)
    }
}
