import Foundation
import Testing

@testable import AquiferCrypto

@Suite("SealingKey")
struct SealingKeyTests {
    @Test("lends the bytes it was made of")
    func bytes() throws {
        let key = try SealingKey(bytes: Data(0..<32))
        #expect(key.withUnsafeBytes { Data($0) } == Data(0..<32))
    }

    @Test("takes 32 bytes and no other number", arguments: [0, 1, 31, 33, 64])
    func length(count: Int) {
        #expect(throws: CryptoError.wrongKeyLength(expected: 32)) {
            _ = try SealingKey(bytes: Data(repeating: 1, count: count))
        }
    }

    @Test("is equal to a key of the same bytes only")
    func equality() throws {
        let key = try SealingKey(bytes: Data(0..<32))
        #expect(try key == SealingKey(bytes: Data(0..<32)))
        for at in 0..<32 {
            var other = Data(0..<32)
            other[at] ^= 1
            #expect(try key != SealingKey(bytes: other))
        }
    }

    @Test("is another one each time it is drawn")
    func random() throws {
        #expect(try SealingKey() != SealingKey())
        #expect(try SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(try SecureRandom.bytes(0).isEmpty)
    }

    @Test("is never described")
    func description() throws {
        let key = try SealingKey(bytes: Data(repeating: 0x41, count: 32))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), String(describing: Optional(key)), dumped] {
            #expect(!text.contains("AAAA") && !text.contains("65") && !text.contains("0x"), "\(text)")
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test("vouches for a message with a code that no other key and no other message has")
    func codes() throws {
        let (key, other) = (try SealingKey(bytes: Data(repeating: 1, count: 32)), try SealingKey())
        let code = key.code(of: Data("message".utf8))
        #expect(code.count == 32 && key.isCode(code, of: Data("message".utf8)))
        #expect(!key.isCode(code, of: Data("massage".utf8)) && !key.isCode(code, of: Data()))
        #expect(!other.isCode(code, of: Data("message".utf8)))
        #expect(!key.isCode(code.dropLast(), of: Data("message".utf8)) && !key.isCode(Data(), of: Data()))
        #expect(key.isCode(key.code(of: Data()), of: Data()))
    }

    @Test("leaves nothing of a copy that was wiped")
    func wiping() {
        var secret = Data(repeating: 7, count: 32)
        wipe(&secret)
        #expect(secret.isEmpty)
    }
}
