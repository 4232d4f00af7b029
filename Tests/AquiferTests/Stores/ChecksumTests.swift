import Testing

@testable import Aquifer

@Suite("Checksum")
struct ChecksumTests {
    /// The seed of the specification's own test program.
    static let prime: UInt64 = 0x9E37_79B1_85EB_CA8D

    @Test(
        "agrees with the published vectors of XXH64",
        arguments: [("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999)]
            as [(String, UInt64)])
    func agreesWithPublishedVectors(text: String, expected: UInt64) {
        #expect(Checksum.xxh64(text) == expected)
    }

    /// Computed with xxhash 3.x of PyPI, which wraps the reference implementation.
    @Test(
        "agrees with the reference implementation at every length that takes another path",
        arguments: [
            (1, 0x1F25_C8D0_BC1F_4BB6, 0x4E38_DA78_5858_33FF), (3, 0x31D2_363F_52E5_64C9, 0xDB3C_6B59_A9BF_9C25),
            (4, 0x9BB6_4B7D_66EE_9FDA, 0xDCE7_4DE7_4556_FF94), (7, 0x9A7B_1499_59CE_60D8, 0xBA5B_6F2C_C49D_11A0),
            (8, 0xDAB9_9D95_C6F9_0092, 0xF66E_0CA3_301B_75A3), (12, 0xD52E_4078_33AF_5133, 0xD70A_B810_30AB_D2AF),
            (31, 0xA2AA_5F33_CC4A_6119, 0x66F6_47A5_2A03_A377), (32, 0x23C3_C17E_F790_FD97, 0x01B3_2369_1AFE_F034),
            (33, 0x50A7_CFC7_BA58_8784, 0x527F_3CAE_FF0C_9292), (63, 0x5E3E_54B4_31C7_493C, 0xCA00_B700_0716_9FC7),
            (64, 0x0EB6_4B3E_F6EE_B01F, 0x34D5_A64A_E8DC_6E9F), (100, 0xA61F_8D4C_170F_E531, 0x919C_CDA3_67E2_A61E),
            (255, 0x39AE_55A2_9989_206F, 0x4A5D_8017_6289_77F1), (300, 0x2400_04DB_EE0B_A6DC, 0x0269_05BF_2F4F_910B),
        ] as [(Int, UInt64, UInt64)])
    func agreesWithTheReference(length: Int, unseeded: UInt64, seeded: UInt64) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        #expect(bytes.withUnsafeBytes { Checksum.xxh64($0) } == unseeded)
        #expect(bytes.withUnsafeBytes { Checksum.xxh64($0, seed: Self.prime) } == seeded)
    }

    @Test("does not depend on where in memory the bytes are")
    func ignoresAlignment() {
        let bytes = (0..<200).map { UInt8($0) }
        for offset in 0..<8 {
            let shifted = [UInt8](repeating: 0, count: offset) + bytes
            let hash = shifted.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
            #expect(hash == bytes.withUnsafeBytes { Checksum.xxh64($0) })
        }
    }
}
