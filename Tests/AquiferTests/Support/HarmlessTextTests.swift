import Testing

@testable import Aquifer

@Suite("Text that is harmless to print")
struct HarmlessTextTests {
    @Test(
        "What drives a terminal, forges a line or hides does not reach the terminal",
        arguments: [
            ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"),
            ("a\u{1B}]52;c;cm0gLXJm\u{7}b", "a\u{FFFD}]52;c;cm0gLXJm\u{FFFD}b"),
            ("a\u{9B}2Jb", "a\u{FFFD}2Jb"), ("a\u{0}\u{8}\u{7F}b", "a\u{FFFD}b"),
            ("a\nb", "a b"), ("a\r\nb", "a b"), ("a\rb", "a b"), ("a\tb", "a b"), ("a\u{B}b\u{C}c\u{85}d", "a b c d"),
            ("a\u{2028}b\u{2029}c", "a b c"),
            ("a\u{202E}b\u{202C}c", "a\u{FFFD}b\u{FFFD}c"), ("a\u{2066}b\u{2069}c", "a\u{FFFD}b\u{FFFD}c"),
            ("a\u{200E}\u{200F}\u{61C}b", "a\u{FFFD}b"),
            ("ad\u{200B}m\u{200C}i\u{200D}n\u{2060}\u{FEFF}", "ad\u{FFFD}m\u{FFFD}i\u{FFFD}n\u{FFFD}"),
            ("a\u{AD}b\u{34F}c\u{3164}d", "a\u{FFFD}b\u{FFFD}c\u{FFFD}d"),
            ("a\u{E0041}\u{E007F}b", "a\u{FFFD}b"), ("a\u{FE0F}b", "a\u{FFFD}b"), ("a\u{FFF9}b", "a\u{FFFD}b"),
            // A letter that is not ASCII is no emoji either.
            ("é\u{FE0F}b", "é\u{FFFD}b"), ("é\u{200D}👩", "é\u{FFFD}👩"),
        ])
    func harm(text: String, shown: String) {
        #expect(text.harmless == shown)
        #expect(text.harmless.harmless == shown)
    }

    @Test(
        "What is meant to be read stays as it is",
        arguments: [
            "", "Plain text, 1.5 \"MB\" ~", "Olá, São João", "ação e\u{301}", "日本語", "שלום", "مرحبا", "नमस्ते", "½ ≤ €",
            "👍🏽", "👩🏽‍⚕️", "🏳️‍🌈", "👨‍👩‍👧", "🇧🇷", "1️⃣", "❤️", "a\u{A0}b",
        ])
    func words(text: String) {
        #expect(Array(text.harmless.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test("Combining marks cannot climb over other lines")
    func marks() {
        let climbing = "a" + String(repeating: "\u{301}", count: 500) + "b"
        #expect(climbing.harmless == "a" + String(repeating: "\u{301}", count: 8) + "b")
    }

    @Test("No scalar of Unicode that is a control, a separator or invisible is left")
    func everything() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let left = "a\(scalar)b".harmless.unicodeScalars.filter { $0.isHarmful }
            if !left.isEmpty { Issue.record("U+\(String(value, radix: 16)) is left") }
        }
    }
}
