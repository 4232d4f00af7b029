import Aquifer
import Foundation
import Testing

/// The engine does without full Foundation on Linux. These tests have it, and compare.
@Suite("Texts and paths, without full Foundation")
struct TextTests {
    /// Every character of Unicode's first two planes.
    private static let characters = (UInt32(0)...0x1FFFF).compactMap(Unicode.Scalar.init).map(String.init)

    @Test("are trimmed as Foundation trims them, whatever the character")
    func trimming() {
        for character in Self.characters {
            let text = " \(character)a b\(character)\n"
            #expect(text.trimmed == text.trimmingCharacters(in: .whitespacesAndNewlines))
            let line = "\t\(character)a b\(character) "
            #expect(line.trimmedOfSpaces == line.trimmingCharacters(in: .whitespaces))
        }
        #expect("".trimmed == "" && " \n".trimmed == "" && " \n".trimmedOfSpaces == "\n")
        #expect("  a b ".dropFirst().trimmed == "a b")
    }

    @Test("are composed and decomposed as Foundation does it")
    func forms() {
        // Foundation composes three signs of Tibetan in another way, and knows an older Unicode.
        let known = [0..<0xF00, 0x1E00..<0x3000 as Range<UInt32>]
        for character in Self.characters
        where known.contains(where: { $0.contains(character.unicodeScalars.first!.value) }) {
            let text = "e\(character)\u{301}"
            #expect(
                text.decomposed.unicodeScalars.elementsEqual(text.decomposedStringWithCanonicalMapping.unicodeScalars))
            #expect(
                text.composed.unicodeScalars.elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars))
        }
        #expect("cafe\u{301}".composed.unicodeScalars.count == 4 && "café".decomposed.unicodeScalars.count == 5)
    }

    @Test(
        "A path has a folder and a name",
        arguments: [
            ("/a/b", "/a", "b"), ("/a", "/", "a"), ("/", "/", ""), ("", "", ""), ("a", "", "a"), ("a/b", "a", "b"),
            ("/a/b/", "/a", "b"), ("//a", "/", "a"), ("a//b", "a", "b"), ("/a//", "/", "a"), ("./a", ".", "a"),
        ])
    func paths(path: String, folder: String, name: String) {
        #expect(FilePath.folder(of: path) == folder)
        #expect(FilePath.name(of: path) == name)
    }

    @Test(
        "A path is one word for a shell",
        arguments: [("/a b", "'/a b'"), ("it's", #"'it'\''s'"#), ("'", #"''\'''"#), ("", "''")])
    func shell(path: String, word: String) {
        #expect(path.quotedForShell == word)
    }
}
