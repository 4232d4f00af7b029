import AquiferPayments
import Testing

@Suite("CardBrand")
struct CardBrandTests {
    /// A range of the table, with the brands of the numbers just before and just after it.
    struct Range: Sendable, CustomTestStringConvertible {
        let brand: CardBrand
        let first: String
        let last: String
        let before: CardBrand?
        let after: CardBrand?

        init(_ brand: CardBrand, _ first: String, _ last: String? = nil, before: CardBrand?, after: CardBrand?) {
            self.brand = brand
            self.first = first
            self.last = last ?? first
            self.before = before
            self.after = after
        }

        var testDescription: String { "\(brand.rawValue) \(first)–\(last)" }
    }

    static let table: [Range] = [
        Range(.visa, "4", before: .diners, after: nil),
        Range(.mastercard, "51", "55", before: .elo, after: nil),
        Range(.mastercard, "2221", "2720", before: nil, after: nil),
        Range(.amex, "34", before: nil, after: nil),
        Range(.amex, "37", before: .diners, after: .diners),
        Range(.diners, "300", "305", before: nil, after: nil),
        Range(.diners, "36", before: nil, after: .amex),
        Range(.diners, "38", before: .amex, after: .diners),
        Range(.diners, "39", before: .diners, after: .visa),
        Range(.discover, "6011", before: nil, after: nil),
        Range(.discover, "644", "649", before: nil, after: .discover),
        Range(.discover, "65", before: .discover, after: nil),
        Range(.hipercard, "606282", before: nil, after: nil),
        Range(.hipercard, "637095", before: nil, after: nil),
        Range(.hipercard, "637568", before: nil, after: nil),
        Range(.hipercard, "637599", before: nil, after: nil),
        Range(.hipercard, "637609", before: nil, after: nil),
        Range(.hipercard, "637612", before: nil, after: nil),
        Range(.hipercard, "63737423", before: nil, after: nil),
        Range(.hipercard, "63743358", before: nil, after: nil),
        Range(.elo, "401178", "401179", before: .visa, after: .visa),
        Range(.elo, "438935", before: .visa, after: .visa),
        Range(.elo, "457631", "457632", before: .visa, after: .visa),
        Range(.elo, "431274", before: .visa, after: .visa),
        Range(.elo, "451416", before: .visa, after: .visa),
        Range(.elo, "457393", before: .visa, after: .visa),
        Range(.elo, "504175", before: nil, after: nil),
        Range(.elo, "506699", "506778", before: nil, after: nil),
        Range(.elo, "509000", "509999", before: nil, after: .mastercard),
        Range(.elo, "627780", before: nil, after: nil),
        Range(.elo, "636297", before: nil, after: nil),
        Range(.elo, "636368", before: nil, after: nil),
        Range(.elo, "650031", "650033", before: .discover, after: .discover),
        Range(.elo, "650035", "650051", before: .discover, after: .discover),
        Range(.elo, "650405", "650439", before: .discover, after: .discover),
        Range(.elo, "650485", "650538", before: .discover, after: .discover),
        Range(.elo, "650541", "650598", before: .discover, after: .discover),
        Range(.elo, "650700", "650718", before: .discover, after: .discover),
        Range(.elo, "650720", "650727", before: .discover, after: .discover),
        Range(.elo, "650901", "650978", before: .discover, after: .discover),
        Range(.elo, "651652", "651679", before: .discover, after: .discover),
        Range(.elo, "655000", "655019", before: .discover, after: .discover),
        Range(.elo, "655021", "655058", before: .discover, after: .discover),
    ]

    @Test("is told at both edges of each range, and not one outside", arguments: table)
    func edges(of range: Range) throws {
        let first = try #require(Int(range.first))
        let last = try #require(Int(range.last))
        func number(_ prefix: Int, _ rest: Character) -> String {
            "\(prefix)" + String(repeating: rest, count: 16 - "\(prefix)".count)
        }
        #expect(CardBrand.of(digits: number(first, "0")) == range.brand)
        #expect(CardBrand.of(digits: number(last, "9")) == range.brand)
        #expect(CardBrand.of(digits: number(first - 1, "9")) == range.before)
        #expect(CardBrand.of(digits: number(last + 1, "0")) == range.after)
    }

    @Test("is told everywhere within each range, from the prefix alone", arguments: table)
    func within(range: Range) throws {
        let first = try #require(Int(range.first))
        let last = try #require(Int(range.last))
        for prefix in first...last { #expect(CardBrand.of(digits: "\(prefix)") == range.brand) }
    }

    @Test("is told by the longest prefix while a number is typed")
    func typing() {
        let told: [(String, CardBrand?)] = [
            ("", nil), ("4", .visa), ("40117", .visa), ("401178", .elo), ("4011785", .elo), ("401180", .visa),
            ("5", nil), ("50", nil), ("509", .elo), ("51", .mastercard), ("2", nil), ("22", nil), ("222", nil),
            ("2221", .mastercard), ("23", .mastercard), ("27", nil), ("2720", .mastercard), ("2721", nil),
            ("3", nil), ("30", nil), ("300", .diners), ("34", .amex), ("6", nil), ("60", nil), ("6011", .discover),
            ("65", .discover), ("65003", .discover), ("650031", .elo), ("637", nil), ("6373742", nil),
            ("63737423", .hipercard), ("1", nil), ("x", nil), ("4x", .visa),
        ]
        for (digits, brand) in told { #expect(CardBrand.of(digits: digits) == brand, "\(digits)") }
    }

    @Test("has the lengths, gaps and code length of the table")
    func properties() {
        let table: [(CardBrand, [Int], [Int], Int)] = [
            (.visa, [16, 18, 19], [4, 8, 12], 3), (.mastercard, [16], [4, 8, 12], 3), (.amex, [15], [4, 10], 4),
            (.diners, [14, 16, 19], [4, 10], 3), (.discover, [16, 19], [4, 8, 12], 3),
            (.hipercard, [16], [4, 8, 12], 3), (.elo, [16], [4, 8, 12], 3),
        ]
        #expect(table.map(\.0) == CardBrand.allCases)
        for (brand, lengths, gaps, code) in table {
            #expect(brand.lengths == lengths && brand.gaps == gaps && brand.codeLength == code, "\(brand)")
        }
        #expect(
            CardBrand.allCases.map(\.name)
                == ["Visa", "Mastercard", "American Express", "Diners Club", "Discover", "Hipercard", "Elo"])
    }

    @Test("takes numbers of each length of each brand, and one digit more or less of none", arguments: table)
    func lengths(range: Range) throws {
        for length in 12...20 {
            let text = Numbers.valid(range.first, length: length)
            if range.brand.lengths.contains(length) {
                #expect(try CardNumber(text).brand == range.brand)
            } else {
                #expect(throws: CardNumberError.wrongLength(expected: range.brand.lengths)) { try CardNumber(text) }
            }
        }
    }
}
