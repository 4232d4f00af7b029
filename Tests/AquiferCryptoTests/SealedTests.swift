import Foundation
import Testing

@testable import AquiferCrypto

@Suite("Sealed")
struct SealedTests {
    private let plain = Data("a card's number".utf8)
    private let header = Data("version 1".utf8)

    @Test("gives the published ciphertext and tag (draft-irtf-cfrg-xchacha, A.3.1)")
    func publishedVector() throws {
        let text = Data(
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
                .utf8)
        let key = try SealingKey(bytes: Data(0x80...0x9f))
        let header = try hex("50515253c0c1c2c3c4c5c6c7")
        let nonce = Data(0x40...0x57)
        let expected = try hex(
            """
            bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
            731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
            2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
            21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49
            """)
        #expect(try Sealed.seal(text, with: key, authenticating: header, nonce: nonce) == nonce + expected)
        #expect(try Sealed.open(nonce + expected, with: key, authenticating: header) == text)
    }

    @Test("opens to what was sealed, whatever its length", arguments: [0, 1, 15, 16, 17, 64, 1000, 100_000])
    func roundTrip(count: Int) throws {
        let key = try SealingKey()
        let plain = try SecureRandom.bytes(count)
        let box = try Sealed.seal(plain, with: key, authenticating: header)
        #expect(box.count == count + Sealed.overhead)
        #expect(try Sealed.open(box, with: key, authenticating: header) == plain)
        let bare = try Sealed.seal(plain, with: key)
        #expect(try Sealed.open(bare, with: key) == plain)
    }

    @Test("never opens when any bit of nonce, content or tag has changed")
    func changedBox() throws {
        let key = try SealingKey()
        let box = try Sealed.seal(plain, with: key, authenticating: header)
        for bit in 0..<box.count * 8 {
            var changed = box
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CryptoError.notAuthentic) { try Sealed.open(changed, with: key, authenticating: header) }
        }
    }

    @Test("never opens beside another header")
    func changedHeader() throws {
        let key = try SealingKey()
        let box = try Sealed.seal(plain, with: key, authenticating: header)
        for at in header.indices {
            var changed = header
            changed[at] ^= 0x80
            #expect(throws: CryptoError.notAuthentic) { try Sealed.open(box, with: key, authenticating: changed) }
        }
        #expect(throws: CryptoError.notAuthentic) { try Sealed.open(box, with: key) }
        #expect(throws: CryptoError.notAuthentic) {
            try Sealed.open(box, with: key, authenticating: header + Data([0]))
        }
    }

    @Test("never opens when cut or grown, at any length")
    func otherLength() throws {
        let key = try SealingKey()
        let box = try Sealed.seal(plain, with: key)
        for count in 0..<box.count {
            #expect(throws: CryptoError.notAuthentic) { try Sealed.open(box.prefix(count), with: key) }
        }
        #expect(throws: CryptoError.notAuthentic) { try Sealed.open(box + Data([0]), with: key) }
    }

    @Test("never opens with another key")
    func otherKey() throws {
        let box = try Sealed.seal(plain, with: try SealingKey())
        let other = try SealingKey()
        #expect(throws: CryptoError.notAuthentic) { try Sealed.open(box, with: other) }
    }

    @Test("opens a slice as it opens the whole")
    func slices() throws {
        let key = try SealingKey()
        let box = try Sealed.seal(plain, with: key, authenticating: header)
        let around = Data([1, 2, 3]) + box + Data([4])
        #expect(try Sealed.open(around[3..<3 + box.count], with: key, authenticating: header) == plain)
    }

    @Test("draws another nonce each time")
    func nonces() throws {
        let key = try SealingKey()
        let nonces = try (0..<100).map { _ in try Sealed.seal(plain, with: key).prefix(Sealed.nonceLength) }
        #expect(Set(nonces).count == 100)
    }

    private func hex(_ text: String) throws -> Data {
        let digits = Array(text)
        return Data(
            try stride(from: 0, to: digits.count, by: 2).map {
                try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
            })
    }
}
