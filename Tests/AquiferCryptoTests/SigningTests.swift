import Foundation
import Testing

@testable import AquiferCrypto

@Suite("Ed25519")
struct SigningTests {
    @Test(
        "gives the published keys and signatures (RFC 8032, 7.1)",
        arguments: [
            (
                "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
            ),
            (
                "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
            ),
        ])
    func published(seed: String, publicKey: String, message: String, signature: String) throws {
        let key = try SigningKey(seed: hex(seed))
        #expect(try key.publicKey == hex(publicKey))
        #expect(try key.sign(hex(message)) == hex(signature))
        #expect(try Ed25519.isValid(hex(signature), of: hex(message), by: hex(publicKey)))
    }

    @Test("refuses a signature when any bit of it, of the message or of the key has changed")
    func changed() throws {
        let key = try SigningKey()
        let message = Data("what was signed".utf8)
        let signature = key.sign(message)
        #expect(Ed25519.isValid(signature, of: message, by: key.publicKey))
        for bit in 0..<signature.count * 8 {
            #expect(!Ed25519.isValid(signature.flipping(bit), of: message, by: key.publicKey))
        }
        for bit in 0..<message.count * 8 {
            #expect(!Ed25519.isValid(signature, of: message.flipping(bit), by: key.publicKey))
        }
        for bit in 0..<key.publicKey.count * 8 {
            #expect(!Ed25519.isValid(signature, of: message, by: key.publicKey.flipping(bit)))
        }
    }

    @Test("refuses what has another length, and a key of small order with a signature of zeros")
    func other() throws {
        let key = try SigningKey()
        let signature = key.sign(Data())
        #expect(!Ed25519.isValid(signature.dropLast(), of: Data(), by: key.publicKey))
        #expect(!Ed25519.isValid(signature + Data([0]), of: Data(), by: key.publicKey))
        #expect(!Ed25519.isValid(signature, of: Data(), by: key.publicKey.dropLast()))
        #expect(!Ed25519.isValid(Data(count: 64), of: Data(), by: Data([1]) + Data(count: 31)))
    }

    @Test("makes another key of another seed, and refuses seeds of another length", arguments: [0, 31, 33, 64])
    func seeds(count: Int) throws {
        #expect(try SigningKey().publicKey != SigningKey().publicKey)
        #expect(throws: CryptoError.wrongKeyLength(expected: 32)) { try SigningKey(seed: Data(count: count)) }
    }

    @Test("lends the seed it was made of")
    func lends() throws {
        let seed = Data(0..<32)
        #expect(try SigningKey(seed: seed).withUnsafeSeed { Data($0) } == seed)
    }

    @Test("never says anything of a key")
    func silent() throws {
        let key = try SigningKey(seed: Data(repeating: 0xAB, count: 32))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("abab"))
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test("tells points of the curve, whatever their order, from bytes that are none")
    func points() throws {
        #expect(Ed25519.isPoint(try SigningKey().publicKey))
        // The identity, of order 1, and a point of order 4: no keys, and points all the same.
        #expect(Ed25519.isPoint(Data([1]) + Data(count: 31)))
        #expect(Ed25519.isPoint(Data(count: 32)))
        #expect(!Ed25519.isPoint(Data([2]) + Data(count: 31)))
        #expect(!Ed25519.isPoint(Data(count: 31)))
    }
}

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "gives the published hashes (FIPS 180-4)",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func published(text: String, digest: String) throws {
        #expect(SHA256Hash.hash(Data(text.utf8)) == (try hex(digest)))
    }

    @Test("gives the same in pieces of any size", arguments: [1, 7, 63, 64, 65, 1000])
    func pieces(size: Int) {
        let all = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var hash = SHA256Hash()
        for start in stride(from: 0, to: all.count, by: size) { hash.update(all[start..<min(start + size, all.count)]) }
        #expect(hash.finish() == SHA256Hash.hash(all))
        hash.update(Data([1]))
        #expect(hash.finish() == SHA256Hash.hash(all + Data([1])), "finishing does not end it")
    }
}

private func hex(_ text: String) throws -> Data {
    let digits = Array(text)
    return Data(
        try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
        })
}

extension Data {
    fileprivate func flipping(_ bit: Int) -> Data {
        var copy = self
        copy[copy.startIndex + bit / 8] ^= 1 << (bit % 8)
        return copy
    }
}
