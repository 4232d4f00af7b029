/// Arithmetic with untrusted numbers (from a server's answer, a header, a file). It never traps.
extension FixedWidthInteger {
    /// The sum; the largest or smallest number if it overflows.
    package func saturatingAdding(_ other: Self) -> Self {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        guard isTooMuch else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference; the largest or smallest number if it overflows.
    package func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, isTooMuch) = subtractingReportingOverflow(other)
        guard isTooMuch else { return difference }
        return other < 0 ? .max : .min
    }

    /// The product with a positive number; the largest or smallest number if it overflows.
    package func saturatingMultiplied(by factor: Self) -> Self {
        let (product, isTooMuch) = multipliedReportingOverflow(by: factor)
        guard isTooMuch else { return product }
        return self < 0 ? .min : .max
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum of all numbers; the largest number if it overflows.
    package var saturatingSum: Element { reduce(0) { $0.saturatingAdding($1) } }
}

extension UInt64 {
    /// This part of a whole in whole per cent, rounded down: 0 … 100, and 0 if the whole is 0.
    package func percent(of whole: UInt64) -> Int {
        guard whole > 0 else { return 0 }
        let part = Swift.min(self, whole)
        return Int(whole.dividingFullWidth(part.multipliedFullWidth(by: 100)).quotient)
    }
}
