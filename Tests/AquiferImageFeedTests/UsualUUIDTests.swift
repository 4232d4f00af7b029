import AquiferTesting
import Foundation
import Testing

@testable import AquiferImageFeed

@Suite("A UUID in its usual form")
struct UsualUUIDTests {
    @Test("It is the one that Foundation reads", arguments: 0..<10 as Range<UInt64>)
    func agrees(seed: UInt64) {
        var chance = SeededNumbers(seed: seed)
        for _ in 0..<100 {
            let id = UUID(uuid: withUnsafeBytes(of: (chance.next(), chance.next())) { $0.load(as: uuid_t.self) })
            #expect(UUID(usual: id.uuidString) == id)
            #expect(UUID(usual: id.uuidString.lowercased()) == id)
        }
    }

    @Test("A text with one other character is none", arguments: Array("gG-_ 0é\u{0}/:@`"))
    func other(character: Character) {
        let text = Array("1a2b3c4d-5e6f-4789-8abc-def012345678")
        for place in text.indices where text[place] != character {
            var changed = text
            changed[place] = character
            let written = String(changed)
            if let usual = UUID(usual: written) {
                #expect(usual == UUID(uuidString: written), "\(written)")
            }
            if character != "0" || text[place] == "-" { #expect(UUID(usual: written) == nil, "\(written)") }
        }
    }

    @Test(
        "A text of another length is none",
        arguments: ["", "1a2b3c4d-5e6f-4789-8abc-def01234567", "1a2b3c4d-5e6f-4789-8abc-def0123456789"])
    func length(text: String) {
        #expect(UUID(usual: text) == nil)
    }
}
