import Aquifer
import AquiferWording
import Foundation
import Testing

@testable import AquiferPayments

@Suite("CardNumber")
struct CardNumberTests {
    @Test("takes the brands' published sample numbers")
    func samples() throws {
        let samples: [(String, CardBrand)] = [
            ("4111 1111 1111 1111", .visa), ("4012888888881881", .visa), ("5555555555554444", .mastercard),
            ("5105-1051-0510-5100", .mastercard), ("2223003122003222", .mastercard), ("3782 822463 10005", .amex),
            ("371449635398431", .amex), ("30569309025904", .diners), ("38520000023237", .diners),
            ("6011111111111117", .discover), ("6011000990139424", .discover), ("6362970000457013", .elo),
            ("6062826786276634", .hipercard),
        ]
        for (text, brand) in samples { #expect(try CardNumber(text).brand == brand, "\(text)") }
    }

    @Test("is the same however it is spaced")
    func spacing() throws {
        let plain = try CardNumber(Numbers.visa)
        for text in ["4111 1111 1111 1111", "4111-1111-1111-1111", " 4111\u{A0}1111 11111111\n", "4 1-11111111111111"] {
            #expect(try CardNumber(text) == plain)
        }
    }

    @Test("refuses what is no number, saying why")
    func refused() {
        let refused: [(String, CardNumberError)] = [
            ("", .empty), ("  - ", .empty), ("abcd", .notDigits), ("4111 1111 1111 111x", .notDigits),
            ("4111.1111.1111.1111", .notDigits), ("٤١١١١١١١١١١١١١١١", .notDigits), ("４１１１", .notDigits),
            ("4111\u{0}111111111111", .notDigits), ("9111111111111111", .noBrand), ("1111111111111112", .noBrand),
            ("0000000000000000", .noBrand), ("4", .wrongLength(expected: [16, 18, 19])),
            ("411111111111111", .wrongLength(expected: [16, 18, 19])), ("4111111111111112", .wrongCheckDigit),
            ("378282246310006", .wrongCheckDigit), (Numbers.testCard, .testCardNotAllowed),
        ]
        for (text, error) in refused { #expect(throws: error, "\(text)") { try CardNumber(text) } }
    }

    @Test("finds any one wrong digit")
    func wrongDigit() {
        for at in 1..<16 {
            for digit in 0...9 {
                var digits = Array(Numbers.visa)
                guard digits[at] != Character("\(digit)") else { continue }
                digits[at] = Character("\(digit)")
                #expect(throws: CardNumberError.self) { try CardNumber(String(digits)) }
            }
        }
    }

    @Test("takes the test card only where it is allowed, and no other number for it")
    func testCard() throws {
        let number = try CardNumber("1111 1111 1111 1111", allowsTestCard: true)
        #expect(number.isTestCard && number.brand == nil && number.masked == "•••• 1111")
        #expect(throws: CardNumberError.testCardNotAllowed) { try CardNumber(Numbers.testCard) }
        for text in ["1111111111111112", "111111111111111", "11111111111111111"] {
            #expect(throws: CardNumberError.noBrand) { try CardNumber(text, allowsTestCard: true) }
        }
        #expect(throws: CardNumberError.wrongCheckDigit) {
            try CardNumber("4111111111111112", allowsTestCard: true)
        }
        #expect(try !CardNumber(Numbers.visa, allowsTestCard: true).isTestCard)
    }

    @Test("shows its last four digits and no more")
    func masked() throws {
        let number = try CardNumber(Numbers.valid("4", length: 19))
        #expect(number.masked == "•••• \(number.lastFour)")
        #expect(number.lastFour == number.digits.suffix(4))
    }

    @Test("and no card shows its digits, however it is printed, dumped or reflected")
    func neverShown() throws {
        let digits = "5555555555554444"
        let number = try CardNumber(digits)
        // An id that is drawn may hold the code's three digits by chance.
        let id = try #require(UUID(uuidString: "0A0A0A0A-0000-0000-0000-000000000001"))
        let card = Card(id: id, number: number, holder: "Ana", expiry: Expiry(month: 1, year: 2030))
        let code = try SecurityCode("737", for: .visa)
        for value: Any in [
            number, Optional(number) as Any, [number], ["n": number], card, [card], card.summary, code, [code],
            (number, code),
        ] {
            var dumped = ""
            dump(value, to: &dumped)
            var printed = ""
            print(value, to: &printed)
            for text in [dumped, printed, "\(value)", String(describing: value), String(reflecting: value)] {
                #expect(!text.contains("55555"), "\(text)")
                #expect(!text.contains("737"), "\(text)")
            }
        }
        #expect(Mirror(reflecting: number).children.isEmpty)
        #expect(Mirror(reflecting: code).children.isEmpty)
        #expect("\(number)" == "•••• 4444")
        #expect("\(code)" == "•••")
        #expect("\(card)" == "Mastercard •••• 4444, 01/30")
    }

    @Test("and what is wrong with it is told without its digits")
    func errors() {
        for text in ["5555555555554445", "555555555555444", "5555x55555554444", "9555555555554444"] {
            let error = #expect(throws: CardNumberError.self) { try CardNumber(text) }
            for told in ["\(error as Any)", String(reflecting: error)]
                + Language.builtIn.compactMap({ error?.message(in: $0) })
            {
                #expect(!told.contains("5555") && !told.contains("4444"), "\(told)")
            }
        }
    }

    @Test("cannot be encoded, nor can a card or a code")
    func notEncodable() throws {
        let number: Any = try CardNumber(Numbers.visa)
        let card: Any = Card(number: try CardNumber(Numbers.visa), holder: "Ana", expiry: Expiry(month: 1, year: 2030))
        let code: Any = try SecurityCode("123", for: .visa)
        #expect(!(number is any Encodable) && !(card is any Encodable) && !(code is any Encodable))
    }

    @Test("and a summary is encoded without its digits")
    func summary() throws {
        let card = Card(number: try CardNumber(Numbers.visa), holder: " Ana ", expiry: Expiry(month: 1, year: 2030))
        let encoded = try JSONEncoder().encode(card.summary)
        #expect(!String(decoding: encoded, as: UTF8.self).contains("11111"))
        #expect(try JSONDecoder().decode(CardSummary.self, from: encoded) == card.summary)
        #expect(card.summary.holder == "Ana" && card.summary.brand == .visa && !card.summary.isTestCard)
    }

    @Test("and everything that is wrong with a card is told in both languages")
    func messages() {
        #expect(
            CardNumberError.wrongLength(expected: [16, 18, 19]).message(in: .english)
                == "This card’s number has 16, 18 or 19 digits.")
        #expect(
            CardNumberError.wrongLength(expected: [16]).message(in: .brazilianPortuguese)
                == "O número deste cartão tem 16 dígitos.")
        let messages: [(Language) -> String] = [
            CardNumberError.empty.message, CardNumberError.notDigits.message, CardNumberError.noBrand.message,
            CardNumberError.wrongLength(expected: [14, 16]).message, CardNumberError.wrongCheckDigit.message,
            CardNumberError.testCardNotAllowed.message, ExpiryError.empty.message, ExpiryError.malformed.message,
            ExpiryError.noSuchMonth.message, ExpiryError.expired.message, ExpiryError.tooFarAhead.message,
            SecurityCodeError.empty.message, SecurityCodeError.notDigits.message,
            SecurityCodeError.wrongLength(expected: 4).message, MoneyError.empty.message, MoneyError.malformed.message,
            MoneyError.notPositive.message, MoneyError.tooManyDecimals.message, MoneyError.overLimit.message,
            HolderNameError.empty.message, HolderNameError.notAName.message, HolderNameError.tooLong.message,
        ]
        let english = messages.map { $0(.english) }
        let portuguese = messages.map { $0(.brazilianPortuguese) }
        #expect(Set(english).count == messages.count && Set(portuguese).count == messages.count)
        #expect(Set(english).isDisjoint(with: portuguese))
        #expect((english + portuguese).allSatisfy { $0.hasSuffix(".") })
    }
}
