import Foundation

/// What a form needs to know while a card is typed. No digit is ever given back.
public enum CardRules {
    /// What can be said of a number so far.
    public static func number(_ typed: String, allowsTestCard: Bool = false) -> NumberHint {
        let digits: String
        do throws(CardNumberError) {
            digits = try CardNumber.digits(of: typed)
        } catch {
            return NumberHint(brand: nil, digits: typed.count { $0.isASCII && $0.isNumber }, error: error)
        }
        let brand = CardBrand.of(digits: digits)
        do throws(CardNumberError) {
            let number = try CardNumber(digits, allowsTestCard: allowsTestCard)
            return NumberHint(brand: brand, digits: digits.count, isComplete: true, isTestCard: number.isTestCard)
        } catch {
            return NumberHint(
                brand: brand, digits: digits.count, error: mayBecomeRight(digits, brand, allowsTestCard) ? nil : error)
        }
    }

    /// What can be said of an expiry date so far.
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

    /// What can be said of a security code so far.
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

    /// What can be said of the name on the card so far.
    public static func holder(_ typed: String) -> FieldHint<HolderNameError> {
        FieldHint { () throws(HolderNameError) in
            _ = try HolderName.parse(typed)
        } isUnfinished: {
            $0 == .empty
        }
    }

    /// Whether more digits can make a good number of it. A length at which cards of its brand end is complete, even
    /// where longer ones exist: that a digit is wrong is told there, not three digits later.
    private static func mayBecomeRight(_ digits: String, _ brand: CardBrand?, _ allowsTestCard: Bool) -> Bool {
        if digits.isEmpty { return true }
        if allowsTestCard && CardNumber.isTestCardsBeginning(digits) { return true }
        guard let brand else { return CardBrand.canBegin(with: digits) }
        return digits.count < brand.lengths.last ?? 0 && !brand.lengths.contains(digits.count)
    }

    /// Whether `01/20` was typed, which `29` may follow.
    private static func mayGetALongYear(_ typed: String) -> Bool {
        typed.filter { !$0.isWhitespace }.wholeMatch(of: /(0?[1-9]|1[0-2])[\/-]?20/) != nil
    }

    /// Whether `typed` is a beginning of `MM/YY` or `MM/YYYY`.
    private static func isExpirysBeginning(_ typed: String) -> Bool {
        let text = typed.filter { !$0.isWhitespace }
        if text.wholeMatch(of: /[01]|0[1-9]|1[0-2]|[1-9][\/-]/) != nil { return true }
        return text.wholeMatch(of: /(0[1-9]|1[0-2])[\/-]?[0-9]{0,3}|[1-9][\/-][0-9]{0,3}/) != nil
    }
}

/// What can be said of a card's number while it is typed.
public struct NumberHint: Sendable, Hashable {
    /// Whose card it is, as soon as that is plain.
    public let brand: CardBrand?
    /// How many digits were typed.
    public let digits: Int
    /// Whether it is a good number.
    public let isComplete: Bool
    /// Whether it is the remote's test card, which is to be labelled as such.
    public let isTestCard: Bool
    /// What is wrong, once no further digit can make it right or it is complete and wrong.
    public let error: CardNumberError?

    init(
        brand: CardBrand?, digits: Int, isComplete: Bool = false, isTestCard: Bool = false,
        error: CardNumberError? = nil
    ) {
        self.brand = brand
        self.digits = digits
        self.isComplete = isComplete
        self.isTestCard = isTestCard
        self.error = error
    }

    /// After how many digits to write a space.
    public var gaps: [Int] { brand?.gaps ?? [4, 8, 12] }
    /// How many digits can be typed.
    public var maxLength: Int { brand?.lengths.last ?? (isTestCard ? 16 : 19) }
}

/// What can be said of a field while it is typed.
public struct FieldHint<Failure: Error & Hashable>: Sendable, Hashable {
    /// Whether it is good.
    public let isValid: Bool
    /// What is wrong, once nothing that follows can make it right.
    public let error: Failure?

    init(_ check: () throws(Failure) -> Void, isUnfinished: (Failure) -> Bool) {
        do throws(Failure) {
            try check()
            isValid = true
            error = nil
        } catch let wrong {
            isValid = false
            error = isUnfinished(wrong) ? nil : wrong
        }
    }
}
