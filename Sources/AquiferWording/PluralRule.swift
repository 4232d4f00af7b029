/// The rule of a language that chooses the form of a text for a count, as CLDR defines it.
///
/// The rules of the built-in languages and some frequent ones are here. Any other rule is a function:
///
/// ```swift
/// let polish = PluralRule { count in
///     if count == 1 { return .one }
///     return (2...4).contains(count % 10) && !(12...14).contains(count % 100) ? .few : .many
/// }
/// ```
public struct PluralRule: Sendable {
    /// The categories of CLDR. Each language uses some of them; `other` is in all.
    public enum Category: String, Sendable, Hashable, CaseIterable {
        /// A form for zero, for example in Arabic.
        case zero
        /// The singular.
        case one
        /// The dual, for example in Arabic.
        case two
        /// A form for few things, for example in Polish.
        case few
        /// A form for many things, for example in Polish.
        case many
        /// The general form.
        case other
    }

    private let rule: @Sendable (Int) -> Category

    /// A rule that is given as a function. It is never called with a negative number.
    public init(_ rule: @escaping @Sendable (Int) -> Category) { self.rule = rule }

    /// The category of a count. The sign does not matter.
    public func category(_ count: Int) -> Category { rule(Int(clamping: count.magnitude)) }

    /// `one` for 1, `other` for the rest: English, German, European Portuguese and many others.
    public static let oneOther = PluralRule { $0 == 1 ? .one : .other }
    /// `one` for 0 and 1, `other` for the rest: Brazilian Portuguese, French. CLDR has a form `many` for whole millions of
    /// these languages, which matters only where a number is written in words.
    public static let zeroOneOther = PluralRule { $0 <= 1 ? .one : .other }
    /// Always `other`: Japanese, Chinese, Korean.
    public static let other = PluralRule { _ in .other }

    /// The categories that the rule chooses for some count up to 200.
    var categories: Set<Category> { Set((0...200).map(category)) }
}
