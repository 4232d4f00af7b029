import AquiferPayments
import Foundation
import Testing

@Suite("Money")
struct MoneyTests {
    @Test("reads what people type, with Brazilian and with English separators")
    func parsing() throws {
        let golden: [(String, Int)] = [
            ("79,90", 7990), ("79.90", 7990), ("79,9", 7990), ("79.9", 7990), ("79", 7900), ("0,01", 1), ("0.10", 10),
            ("R$ 1.234,50", 123_450), ("R$\u{A0}1.234,50", 123_450), ("R$1.234,50", 123_450), ("r$ 5", 500),
            ("1,234.50", 123_450), ("1.234,5", 123_450), ("1234", 123_400), ("1234,50", 123_450), ("1234.50", 123_450),
            ("  5 ", 500), ("\u{A0}5\n", 500), ("007", 700), ("00,50", 50), ("12.345,67", 1_234_567),
            ("123,456.78", 12_345_678), ("999.999,99", 99_999_999), ("1.000.000", 100_000_000),
            ("1,000,000", 100_000_000), ("1.000.000,00", 100_000_000), ("1000000", 100_000_000),
            ("0000000000000000000000005", 500),
        ]
        for (text, cents) in golden { #expect(try Money(parsing: text).cents == cents, "\(text)") }
    }

    @Test("refuses what is no amount, saying why")
    func refused() {
        let refused: [(String, MoneyError)] = [
            ("", .empty), ("  ", .empty), ("0", .notPositive), ("0,00", .notPositive), ("R$ 0.00", .notPositive),
            ("-3", .notPositive), ("\u{2212}3", .notPositive), ("-R$ 3,00", .notPositive), ("R$ -3", .notPositive),
            ("-0", .notPositive), ("1,234,5", .malformed), ("1.234.5", .malformed), ("1.234.00", .malformed),
            ("79.905", .tooManyDecimals), ("79,905", .tooManyDecimals), ("1.234", .tooManyDecimals),
            ("1,234", .tooManyDecimals), ("0,001", .tooManyDecimals), ("1.234,567", .tooManyDecimals),
            ("5.0000", .tooManyDecimals), ("abc", .malformed), ("5a", .malformed), ("R$", .malformed),
            ("5,", .malformed),
            (",50", .malformed), ("5..0", .malformed), ("1.2.3,4", .malformed), ("1,234.5,6", .malformed),
            ("12.34,5", .malformed), ("1234.567,8", .malformed), (".", .malformed), ("1 234,50", .malformed),
            ("1'234.50", .malformed), ("+5", .malformed), ("--5", .malformed), ("1e3", .malformed),
            ("0x10", .malformed),
            ("US$ 5", .malformed), ("٥", .malformed), ("５", .malformed), ("5\u{0}", .malformed), ("NaN", .malformed),
            ("1.000.000,01", .overLimit), ("1000001", .overLimit), ("9999999999999999999999999", .overLimit),
        ]
        for (text, error) in refused { #expect(throws: error, "\(text)") { try Money(parsing: text) } }
    }

    @Test("is written as Brazilians write it, with a no-break space")
    func text() {
        let golden: [(Int, String)] = [
            (0, "R$\u{A0}0,00"), (1, "R$\u{A0}0,01"), (10, "R$\u{A0}0,10"), (7990, "R$\u{A0}79,90"),
            (99_999, "R$\u{A0}999,99"), (123_450, "R$\u{A0}1.234,50"), (12_345_678, "R$\u{A0}123.456,78"),
            (100_000_000, "R$\u{A0}1.000.000,00"), (-123_450, "-R$\u{A0}1.234,50"),
            (Int.min, "-R$\u{A0}92.233.720.368.547.758,08"),
        ]
        for (cents, text) in golden {
            #expect(Money(cents: cents).text == text)
            #expect("\(Money(cents: cents))" == text)
        }
    }

    @Test("is sent with exactly two decimals")
    func decimal() {
        let golden: [(Int, String)] = [
            (0, "0.00"), (1, "0.01"), (10, "0.10"), (100, "1.00"), (7990, "79.90"), (123_450, "1234.50"),
            (100_000_000, "1000000.00"), (-50, "-0.50"),
        ]
        for (cents, text) in golden { #expect(Money(cents: cents).decimal == text) }
    }

    @Test("reads back what it wrote", arguments: [1, 99, 100, 7990, 99_999, 123_456, 99_999_999, 100_000_000])
    func roundTrip(cents: Int) throws {
        #expect(try Money(parsing: Money(cents: cents).text).cents == cents)
        #expect(try Money(parsing: Money(cents: cents).decimal).cents == cents)
        let encoded = try JSONEncoder().encode([Money(cents: cents)])
        #expect(String(decoding: encoded, as: UTF8.self) == "[\(cents)]")
        #expect(try JSONDecoder().decode([Money].self, from: encoded) == [Money(cents: cents)])
    }

    @Test("is ordered by what it is worth")
    func order() {
        #expect(Money(cents: 9) < Money(cents: 10) && Money(cents: -1) < Money(cents: 0))
        #expect(Money.limit == Money(cents: 100_000_000))
    }
}
