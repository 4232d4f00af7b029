import Foundation
import Testing

@testable import AquiferPayments

@Suite("CardRules")
struct CardRulesTests {
    @Test("find nothing wrong with a number that is not finished")
    func unfinished() {
        for text in ["", " ", "4", "4111 1111", "411111111111111", "3", "37828", "2", "5", "6", "63743", "60628"] {
            let hint = CardRules.number(text)
            #expect(hint.error == nil && !hint.isComplete, "\(text)")
            // As it stands it is wrong all the same: that is told when the field is left.
            #expect(hint.problem != nil, "\(text)")
        }
        #expect(CardRules.number("4242").problem == .wrongLength(expected: [16, 18, 19]))
        #expect(CardRules.number("").problem == .empty && CardRules.number(Numbers.visa).problem == nil)
        #expect(CardRules.holder("").problem == .empty && CardRules.holder("Ana Lima").problem == nil)
        let now = Date(timeIntervalSince1970: 1_780_000_000)
        let expiry = CardRules.expiry("01/20", now: now)
        #expect(expiry.error == nil && expiry.problem == .expired)
    }

    @Test("say what is wrong with a number that cannot become right, or is complete")
    func wrong() {
        let wrong: [(String, CardNumberError)] = [
            ("9", .noBrand), ("1", .noBrand), ("2721", .noBrand), ("5041760", .noBrand), ("x", .notDigits),
            ("4111 1111 1111 1112", .wrongCheckDigit), ("411111111111111111 11", .wrongLength(expected: [16, 18, 19])),
            ("3782 822463 10006", .wrongCheckDigit), ("3782 822463 100051", .wrongLength(expected: [15])),
            (Numbers.testCard, .testCardNotAllowed),
        ]
        for (text, error) in wrong {
            let hint = CardRules.number(text)
            #expect(hint.error == error && !hint.isComplete, "\(text)")
        }
    }

    @Test("know a good number, its brand and how it is written")
    func complete() {
        let visa = CardRules.number("4111 1111 1111 1111")
        #expect(visa.isComplete && visa.error == nil && visa.brand == .visa && visa.digits == 16)
        #expect(visa.gaps == [4, 8, 12] && visa.maxLength == 19 && !visa.isTestCard)
        let amex = CardRules.number("37")
        #expect(amex.brand == .amex && amex.gaps == [4, 10] && amex.maxLength == 15 && amex.digits == 2)
        let nothing = CardRules.number("")
        #expect(nothing.brand == nil && nothing.gaps == [4, 8, 12] && nothing.maxLength == 19 && nothing.digits == 0)
        for length in [18, 19] { #expect(CardRules.number(Numbers.valid("4", length: length)).isComplete) }
    }

    @Test("take the test card where it is allowed, digit by digit")
    func testCard() {
        for count in 1..<16 {
            let hint = CardRules.number(String(repeating: "1", count: count), allowsTestCard: true)
            #expect(hint.error == nil && !hint.isComplete)
        }
        let hint = CardRules.number(Numbers.testCard, allowsTestCard: true)
        #expect(hint.isComplete && hint.isTestCard && hint.error == nil && hint.maxLength == 16)
        #expect(CardRules.number("12", allowsTestCard: true).error == .noBrand)
        #expect(CardRules.number(Numbers.testCard + "1", allowsTestCard: true).error == .noBrand)
    }

    @Test("agree with the number itself on what is complete")
    func agreement() {
        for text in [
            "", "4", Numbers.visa, "4111111111111112", "378282246310005", "30569309025904", "3056930902590",
            Numbers.testCard,
        ] {
            #expect(CardRules.number(text).isComplete == ((try? CardNumber(text)) != nil))
        }
    }

    @Test("never give digits back")
    func noDigits() {
        var dumped = ""
        dump(CardRules.number("5555555555554444"), to: &dumped)
        dump(CardRules.number("5555555555554445"), to: &dumped)
        #expect(!dumped.contains("5555") && !dumped.contains("444"))
    }

    @Test("let an expiry date be typed, and say what is wrong with it as soon as it is")
    func expiry() throws {
        let now = try moment("2026-11-21T12:00:00Z")
        for text in ["", "0", "1", "01", "12", "01/", "1/", "01/2", "1/2", "012", "01/20", "01/202"] {
            let hint = CardRules.expiry(text, now: now)
            #expect(!hint.isValid && hint.error == nil, "\(text)")
        }
        for text in ["01/29", "0129", "01/2029", "1/29"] {
            #expect(CardRules.expiry(text, now: now).isValid, "\(text)")
        }
        let wrong: [(String, ExpiryError)] = [
            ("13/29", .noSuchMonth), ("01/18", .expired), ("10/26", .expired), ("01/46", .tooFarAhead),
            ("01/2020", .expired), ("13", .malformed), ("x", .malformed), ("00", .malformed), ("01/29/", .malformed),
        ]
        for (text, error) in wrong { #expect(CardRules.expiry(text, now: now).error == error, "\(text)") }
    }

    @Test("let a code be typed, and say what is wrong with it as soon as it is")
    func code() {
        for text in ["", "1", "12"] { #expect(CardRules.code(text, brand: .visa).error == nil) }
        #expect(CardRules.code("123", brand: .visa).isValid)
        #expect(CardRules.code("1234", brand: .visa).error == .wrongLength(expected: 3))
        #expect(CardRules.code("123", brand: .amex) == CardRules.code("12", brand: .amex))
        #expect(!CardRules.code("123", brand: .amex).isValid && CardRules.code("1234", brand: .amex).isValid)
        #expect(CardRules.code("12x", brand: .visa).error == .notDigits)
        #expect(CardRules.code("789", brand: nil).isValid)
    }

    @Test("take names and refuse numbers typed into the wrong field")
    func holder() throws {
        for text in ["Ana", "José D’Ávila", "MARIA-CLARA O'NEIL JR.", "李小龍", "A. B."] {
            #expect(CardRules.holder(text).isValid, "\(text)")
        }
        #expect(CardRules.holder("").error == nil && !CardRules.holder("").isValid)
        for text in ["4111111111111111", "Ana 4111", "...", "Ana\u{7}", "A\u{202E}b", "Ana ٤"] {
            #expect(CardRules.holder(text).error == .notAName, "\(text)")
        }
        #expect(CardRules.holder(String(repeating: "a", count: 60)).isValid)
        #expect(CardRules.holder(String(repeating: "a", count: 61)).error == .tooLong)
        #expect(try HolderName.parse("  Ana \n Souza ") == "Ana Souza")
        // A mark after a line break, which makes a character of the space that the break becomes.
        let name = try HolderName.parse("l\u{0B}\u{0340}")
        #expect(try HolderName.parse(name).unicodeScalars.elementsEqual(name.unicodeScalars))
    }
}
