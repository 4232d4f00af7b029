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

    /// Computed with rapidhash 0.1 of PyPI, which wraps the reference implementation.
    @Test(
        "rapidhash agrees with the reference implementation at every length that takes another path",
        arguments: [
            (17, 0x0F66_6AE9_BC23_EDD2, 0x6422_0190_7F02_CD80), (32, 0x542A_0751_92E3_4F65, 0xBC2D_7D39_6F3C_0D78),
            (33, 0x77BD_7F1C_E8DB_F95A, 0x2181_E3A1_3510_D04A), (47, 0x2F37_F854_6E40_B784, 0xA69D_F671_CC49_82AF),
            (48, 0xAC12_5B42_1217_280E, 0x52E8_A9E9_04F9_A7C3), (49, 0x7FB1_1C0B_A4BF_EF9F, 0x1C2D_F605_7352_0BC7),
            (64, 0x59CB_E030_4C61_6AFB, 0x4A55_252F_DB29_0992), (65, 0xE05B_4C42_62F3_34AC, 0xFE90_5261_E8EC_671F),
            (95, 0x5F64_3709_8066_06FE, 0xFD03_D98D_16CD_0D02), (96, 0x3E1B_0191_2240_5EC2, 0x091B_87A1_FF77_D95F),
            (97, 0x4731_FB28_FA3A_DDC0, 0x9DA7_BB86_8070_F837), (113, 0xE47E_BE90_206C_44CB, 0x5FA9_E9E3_E721_1EA1),
            (1_024, 0x4FA3_51BA_6FD1_5EB6, 0xE893_81B4_6EAA_F50F),
            (65_536, 0x94F4_1488_9D33_BC21, 0xDCCD_05CB_5C4C_C78D),
        ] as [(Int, UInt64, UInt64)])
    func rapidAgreesWithTheReference(length: Int, unseeded: UInt64, seeded: UInt64) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        #expect(bytes.withUnsafeBytes { Checksum.rapid($0) } == unseeded)
        #expect(bytes.withUnsafeBytes { Checksum.rapid($0, seed: Self.prime) } == seeded)
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
