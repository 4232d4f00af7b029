import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive
@testable import AquiferSolana

@Suite("Solana's primitives")
struct PrimitiveTests {
    @Test("base58 both ways, as in the vectors")
    func base58() throws {
        #expect(Vectors.all.primitives.base58.count == 10)
        for vector in Vectors.all.primitives.base58 {
            #expect(Base58.encode(hex(vector.hex)) == vector.text)
            #expect(try Base58.decode(vector.text) == hex(vector.hex))
        }
    }

    @Test("base58 of random bytes comes back, leading zeros too")
    func base58RoundTrip() throws {
        var random = SeededNumbers(seed: 58)
        for _ in 0..<500 {
            let zeros = Data(count: Int.random(in: 0...3, using: &random))
            let count = Int.random(in: 0...80, using: &random)
            let bytes = zeros + Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
            #expect(try Base58.decode(Base58.encode(bytes)) == bytes)
        }
    }

    @Test(
        "base58 names the wrong letter and its place",
        arguments: [
            ("0", "0" as Character, 1), ("abO", "O", 3), ("1I1", "I", 2), ("zzzl", "l", 4), ("ab c", " ", 3),
            ("aé", "é", 2),
            ("ab☃", "☃", 3), ("ab\n", "\n", 3),
        ])
    func base58Letters(text: String, letter: Character, place: Int) {
        #expect(throws: Base58Error.wrongLetter(letter, at: place)) { try Base58.decode(text) }
        #expect("\(Base58Error.wrongLetter(letter, at: place))".contains("letter \(place), \"\(letter)\""))
    }

    @Test("base58 of another length is no key, and endless texts are not decoded")
    func base58Lengths() {
        #expect(throws: Base58Error.wrongLength(expected: 32, found: 1)) { try PublicKey("2g") }
        #expect(throws: Base58Error.wrongLength(expected: 64, found: 32)) {
            try Signature(Vectors.all.inputs.owner_pubkey)
        }
        #expect(throws: Base58Error.tooLong(limit: 2048)) { try Base58.decode(String(repeating: "2", count: 2049)) }
        #expect(PublicKey(bytes: Data(count: 31)) == nil && Signature(bytes: Data(count: 65)) == nil)
    }

    @Test("keys are written and read in JSON as base58")
    func keysInJSON() throws {
        let key = Vectors.owner.publicKey
        let json = try JSONEncoder().encode([key])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(key)\"]")
        #expect(try JSONDecoder().decode([PublicKey].self, from: json) == [key])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([PublicKey].self, from: Data("[\"0\"]".utf8)) }
    }

    @Test("compact-u16 both ways, as in the vectors and for all numbers")
    func compactU16() throws {
        #expect(!Vectors.all.primitives.compact_u16.isEmpty)
        for vector in Vectors.all.primitives.compact_u16 {
            #expect(CompactU16.encode(vector.value) == hex(vector.hex))
        }
        for value in UInt16.min...UInt16.max {
            var reader = WireReader(CompactU16.encode(value))
            let read = try reader.compactU16()
            if read != Int(value) || reader.left != 0 { Issue.record("\(value) came back as \(read)") }
        }
    }

    @Test(
        "compact-u16 is read in its shortest form only", arguments: ["8000", "808000", "ffff04", "80808001", "ff", ""])
    func compactU16Refused(text: String) {
        #expect(throws: WireReader.Failure.self) {
            var reader = WireReader(hex(text))
            _ = try reader.compactU16()
        }
    }

    @Test("points of the curve are told as in the vectors")
    func onCurve() throws {
        #expect(Vectors.all.primitives.on_curve.count == 17)
        for vector in Vectors.all.primitives.on_curve {
            let key = try #require(PublicKey(bytes: hex(vector.hex)))
            #expect(key.isOnCurve == vector.on_curve, "\(vector.hex)")
        }
    }

    @Test("addresses are derived as in the vectors, with their bumps")
    func derived() throws {
        #expect(Vectors.all.pdas.count == 15)
        for (name, vector) in Vectors.all.pdas {
            let seeds = vector.seeds.map {
                $0.hasPrefix("hex:") ? hex(String($0.dropFirst(4))) : Data($0.dropFirst(5).utf8)
            }
            let derived = try #require(DerivedAddress(seeds: seeds, program: try PublicKey(vector.program)))
            #expect(derived.address.description == vector.address, "\(name)")
            #expect(derived.address.bytes == hex(vector.hex) && derived.bump == vector.bump, "\(name)")
            #expect(!derived.address.isOnCurve)
            #expect(Int(255 - derived.bump) == vector.bumps_rejected_on_curve.count)
        }
    }

    @Test("addresses have at most 15 seeds of at most 32 bytes")
    func seeds() {
        #expect(DerivedAddress(seeds: Array(repeating: Data([1]), count: 16), program: SolanaPrograms.token) == nil)
        #expect(DerivedAddress(seeds: [Data(count: 33)], program: SolanaPrograms.token) == nil)
        #expect(DerivedAddress(seeds: [Data(count: 32)], program: SolanaPrograms.token) != nil)
    }
}
