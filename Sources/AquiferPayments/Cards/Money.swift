/// An amount of Brazilian reais, in whole cents: never a fraction that floating point would round.
public struct Money: Sendable, Hashable, Comparable {
    /// One hundredth of a real each.
    public let cents: Int

    /// An amount of so many cents.
    public init(cents: Int) {
        self.cents = cents
    }

    /// The most that is paid at once: R$ 1.000.000,00.
    public static let limit = Money(cents: 100_000_000)

    /// As Brazilians write it, with a no-break space that keeps it on one line: `R$ 1.234,50`.
    public var text: String {
        let (units, rest) = parts
        var grouped = ""
        for (place, digit) in units.enumerated() {
            if place > 0 && (units.count - place).isMultiple(of: 3) { grouped.append(".") }
            grouped.append(digit)
        }
        return "\(cents < 0 ? "-" : "")R$\u{A0}\(grouped),\(rest)"
    }

    /// For a machine, with exactly two decimals: `1234.50`.
    public var decimal: String {
        let (units, rest) = parts
        return "\(cents < 0 ? "-" : "")\(units).\(rest)"
    }

    /// The smaller amount comes first.
    public static func < (one: Money, other: Money) -> Bool { one.cents < other.cents }

    private var parts: (units: String, cents: String) {
        let (units, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
        return ("\(units)", rest < 10 ? "0\(rest)" : "\(rest)")
    }
}

extension Money: CustomStringConvertible {
    /// ``text``.
    public var description: String { text }
}

extension Money: Codable {
    /// From the number of cents.
    public init(from decoder: any Decoder) throws {
        cents = try decoder.singleValueContainer().decode(Int.self)
    }

    /// As the number of cents.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(cents)
    }
}
