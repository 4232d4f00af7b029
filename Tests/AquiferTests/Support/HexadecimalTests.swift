import Aquifer
import Foundation
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Bytes become two lower-case digits each, and are read back")
    func roundTrip() {
        let bytes = Data([0x00, 0x0F, 0xA0, 0xFF])
        #expect(bytes.hexadecimal == "000fa0ff")
        #expect(Data(hexadecimal: "000FA0ff") == bytes)
        #expect(Data(hexadecimal: "")?.isEmpty == true)
    }

    @Test(
        "A text with anything else, or with half a byte, is no bytes", arguments: ["0", "0g", "+1", " 1", "0x", "١٢"])
    func refused(text: String) {
        #expect(Data(hexadecimal: text) == nil)
    }

    @Test("A number has 16 digits", arguments: [(UInt64.zero, "0000000000000000"), (UInt64.max, "ffffffffffffffff")])
    func numbers(number: UInt64, digits: String) {
        #expect(number.hexadecimal == digits)
    }
}
