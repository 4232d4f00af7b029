/// Amounts of SHDW, counted in shades: billionths.
public enum Shades {
    /// How people read an amount: "0.25 SHDW", with as many digits as it has.
    public static func text(_ shades: UInt64) -> String {
        let (whole, part) = shades.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard part > 0 else { return "\(whole) SHDW" }
        var digits = String(1_000_000_000 + part).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits) SHDW"
    }
}
