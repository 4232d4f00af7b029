import Testing

@testable import AquiferPayments

@Suite("SecurityCode")
struct SecurityCodeTests {
    @Test("has three digits, and four for American Express", arguments: CardBrand.allCases)
    func length(brand: CardBrand) throws {
        let isAmex = brand == .amex
        #expect(SecurityCode.length(for: brand) == (isAmex ? 4 : 3))
        if isAmex {
            #expect(try SecurityCode("1234", for: brand).digits == "1234")
            #expect(throws: SecurityCodeError.wrongLength(expected: 4)) { try SecurityCode("123", for: brand) }
        } else {
            #expect(try SecurityCode("123", for: brand).digits == "123")
            #expect(throws: SecurityCodeError.wrongLength(expected: 3)) { try SecurityCode("1234", for: brand) }
        }
    }

    @Test("has three digits for the test card")
    func testCard() throws {
        #expect(try SecurityCode("789", for: nil).digits == "789")
        #expect(throws: SecurityCodeError.wrongLength(expected: 3)) { try SecurityCode("7890", for: nil) }
    }

    @Test("keeps its leading zeros")
    func zeros() throws {
        #expect(try SecurityCode("007", for: .visa).digits == "007")
    }

    @Test("refuses what is no code, saying why")
    func refused() {
        let refused: [(String, SecurityCodeError)] = [
            ("", .empty), (" ", .empty), ("12", .wrongLength(expected: 3)), ("12a", .notDigits), ("-12", .notDigits),
            ("１２３", .notDigits), ("1.2", .notDigits),
        ]
        for (text, error) in refused { #expect(throws: error, "\(text)") { try SecurityCode(text, for: .visa) } }
    }
}
