extension CardBrand {
    /// The brand of a number that begins with `digits`; `nil` if they are too few to tell, or belong to no known brand.
    ///
    /// The longest prefix wins: `4` is Visa's and `401178` is Elo's. Fewer digits are enough if every possible
    /// continuation belongs to one brand: `509` is Elo's.
    public static func of(digits: String) -> CardBrand? {
        var found: (brand: CardBrand, width: Int)?
        for range in ranges where range.contains(digits) && range.width > found?.width ?? 0 {
            found = (range.brand, range.width)
        }
        return found?.brand
    }

    /// True if a number of a known brand can begin with `digits`.
    static func canBegin(with digits: String) -> Bool {
        ranges.contains { $0.touches(digits) }
    }

    /// Prefixes of one brand, all of the same length: `2221…2720`.
    private struct Range {
        let brand: CardBrand
        let first: Int
        let last: Int
        let width: Int

        /// The range of the first `width` digits of all numbers that begin with `digits`; `nil` if these are not
        /// digits.
        private func span(_ digits: String) -> ClosedRange<Int>? {
            var low = 0
            for digit in digits.utf8.prefix(width) {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                low = low * 10 + Int(digit - UInt8(ascii: "0"))
            }
            var size = 1
            for _ in 0..<max(0, width - digits.utf8.count) { size *= 10 }
            return low * size...low * size + size - 1
        }

        func contains(_ digits: String) -> Bool {
            span(digits).map { $0.lowerBound >= first && $0.upperBound <= last } ?? false
        }

        func touches(_ digits: String) -> Bool {
            span(digits).map { $0.overlaps(first...last) } ?? false
        }
    }

    private static let ranges: [Range] = prefixes.flatMap { brand, text in
        text.split(separator: " ").compactMap { part in
            let ends = part.split(separator: "-").compactMap { Int($0) }
            guard let first = ends.first, let last = ends.last else { return nil }
            return Range(brand: brand, first: first, last: last, width: "\(first)".count)
        }
    }

    /// The table of `docs/reference/payments.md`.
    private static let prefixes: [(CardBrand, String)] = [
        (.visa, "4"),
        (.mastercard, "51-55 2221-2720"),
        (.amex, "34 37"),
        (.diners, "300-305 36 38 39"),
        (.discover, "6011 644-649 65"),
        (.hipercard, "606282 637095 637568 637599 637609 637612 63737423 63743358"),
        (
            .elo,
            """
            401178-401179 438935 457631-457632 431274 451416 457393 504175 506699-506778 509000-509999 627780 \
            636297 636368 650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 \
            650720-650727 650901-650978 651652-651679 655000-655019 655021-655058
            """
        ),
    ]
}
