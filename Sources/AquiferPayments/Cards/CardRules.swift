import AquiferFoundation

/// The hints for a form while a card is typed. They never contain a digit of the card.
public enum CardRules {
    /// The hint for the number typed so far.
    public static func number(_ typed: String, allowsTestCard: Bool = false) -> NumberHint {
        let digits: String
        do throws(CardNumberError) {
            digits = try CardNumber.digits(of: typed)
        } catch {
            let count = typed.count { $0.isASCII && $0.isNumber }
            return NumberHint(brand: nil, digits: count, error: error, problem: error)
        }
        let brand = CardBrand.of(digits: digits)
        do throws(CardNumberError) {
            let number = try CardNumber(digits, allowsTestCard: allowsTestCard)
            return NumberHint(brand: brand, digits: digits.count, isComplete: true, isTestCard: number.isTestCard)
        } catch {
            return NumberHint(
                brand: brand, digits: digits.count, error: mayBecomeRight(digits, brand, allowsTestCard) ? nil : error,
                problem: error)
        }
    }

    /// The hint for the expiry date typed so far.
    public static func expiry(_ typed: String, now: Date) -> FieldHint<ExpiryError> {
        FieldHint { () throws(ExpiryError) in
            _ = try Expiry(parsing: typed, now: now)
        } isUnfinished: { error in
            switch error {
            case .empty: true
            case .malformed: isExpirysBeginning(typed)
            case .expired: mayGetALongYear(typed)
            case .noSuchMonth, .tooFarAhead: false
            }
        }
    }

    /// The hint for the security code typed so far.
    public static func code(_ typed: String, brand: CardBrand?) -> FieldHint<SecurityCodeError> {
        FieldHint { () throws(SecurityCodeError) in
            _ = try SecurityCode(typed, for: brand)
        } isUnfinished: { error in
            switch error {
            case .empty: true
            case .notDigits: false
            case .wrongLength(let expected): typed.count { !$0.isWhitespace } < expected
            }
        }
    }

    /// The hint for the name typed so far.
    public static func holder(_ typed: String) -> FieldHint<HolderNameError> {
        FieldHint { () throws(HolderNameError) in
            _ = try HolderName.parse(typed)
        } isUnfinished: {
            $0 == .empty
        }
    }

    /// True if further digits can make the number valid. A number with one of its brand's lengths is complete, even if
    /// the brand has longer numbers: a wrong digit is reported at that length, not three digits later.
    private static func mayBecomeRight(_ digits: String, _ brand: CardBrand?, _ allowsTestCard: Bool) -> Bool {
        if digits.isEmpty { return true }
        if allowsTestCard && CardNumber.isTestCardsBeginning(digits) { return true }
        guard let brand else { return CardBrand.canBegin(with: digits) }
        return digits.count < brand.lengths.last ?? 0 && !brand.lengths.contains(digits.count)
    }

    /// True if the text may be the beginning of a date with a long year: `29` may follow `01/20`.
    private static func mayGetALongYear(_ typed: String) -> Bool {
        typed.filter { !$0.isWhitespace }.wholeMatch(of: /(0?[1-9]|1[0-2])[\/-]?20/) != nil
    }

    /// True if `typed` is the beginning of `MM/YY` or `MM/YYYY`.
    private static func isExpirysBeginning(_ typed: String) -> Bool {
        let text = typed.filter { !$0.isWhitespace }
        if text.wholeMatch(of: /[01]|0[1-9]|1[0-2]|[1-9][\/-]/) != nil { return true }
        return text.wholeMatch(of: /(0[1-9]|1[0-2])[\/-]?[0-9]{0,3}|[1-9][\/-][0-9]{0,3}/) != nil
    }
}

/// The hint for a card's number while it is typed.
public struct NumberHint: Sendable, Hashable {
    /// The card's brand, as soon as the digits determine it.
    public let brand: CardBrand?
    /// The number of digits typed.
    public let digits: Int
    /// True if the number is valid.
    public let isComplete: Bool
    /// True if this is the remote's test card, which screens must label as such.
    public let isTestCard: Bool
    /// The error; `nil` if the number is valid, or if it is incomplete and further digits can make it valid.
    public let error: CardNumberError?
    /// The error of the number as it stands, for a field that is left: `nil` only if the number is valid.
    public let problem: CardNumberError?

    init(
        brand: CardBrand?, digits: Int, isComplete: Bool = false, isTestCard: Bool = false,
        error: CardNumberError? = nil, problem: CardNumberError? = nil
    ) {
        self.brand = brand
        self.digits = digits
        self.isComplete = isComplete
        self.isTestCard = isTestCard
        self.error = error
        self.problem = problem
    }

    /// The positions, in digits, after which to write a space.
    public var gaps: [Int] { brand?.gaps ?? [4, 8, 12] }
    /// The most digits that can be typed.
    public var maxLength: Int { brand?.lengths.last ?? (isTestCard ? 16 : 19) }
}

/// The hint for a field while it is typed.
public struct FieldHint<Failure: Error & Hashable>: Sendable, Hashable {
    /// True if the text is valid.
    public let isValid: Bool
    /// The error; `nil` if the text is valid, or if further characters can make it valid.
    public let error: Failure?
    /// The error of the text as it stands, for a field that is left: `nil` only if the text is valid.
    public let problem: Failure?

    init(_ check: () throws(Failure) -> Void, isUnfinished: (Failure) -> Bool) {
        do throws(Failure) {
            try check()
            isValid = true
            (error, problem) = (nil, nil)
        } catch let wrong {
            isValid = false
            error = isUnfinished(wrong) ? nil : wrong
            problem = wrong
        }
    }
}
