import Aquifer
import AquiferFoundation
import AquiferWording

extension StorageSize {
    /// Normalizes a size that a user typed. Languages differ in the decimal separator, so both point and comma are
    /// accepted.
    static func typed(_ text: String) -> String {
        text.trimmedOfSpaces.replacingExactly(",", with: ".")
    }
}

extension Language {
    /// The text of an amount of SHDW, with all digits.
    package func amount(_ shades: UInt64) -> String { own(Shades.text(shades)) }

    /// The text of an amount of SOL, with all digits.
    package func fee(_ lamports: UInt64) -> String { own(Lamports.text(lamports)) }

    /// The text of a wallet's balances, with all digits.
    package func balance(_ wallet: Wallet) -> String {
        "\(own(Shades.text(wallet.shades))) · \(own(Lamports.text(wallet.lamports)))"
    }

    /// The short text of a wallet's balances. Digits are in groups of three. The balance in SHDW is that of the question
    /// before storage is paid for. A balance of at least one SOL is rounded down to hundredths, so that it never shows more
    /// than the wallet holds.
    package func shortBalance(_ wallet: Wallet) -> String {
        "\(balance(inShades: wallet.shades)) · \(own(short(Lamports.text(wallet.lamports))))"
    }

    /// The text of a price in SHDW, rounded up to four decimals: nobody pays more than it says.
    package func price(_ shades: UInt64) -> String {
        let (steps, rest) = shades.quotientAndRemainder(dividingBy: Self.shadesOfFourthDecimal)
        return fourDecimals(rest > 0 ? steps + 1 : steps)
    }

    /// The text of a balance in SHDW, rounded down to four decimals: it never shows more than there is.
    package func balance(inShades shades: UInt64) -> String { fourDecimals(shades / Self.shadesOfFourthDecimal) }

    private static let shadesOfFourthDecimal: UInt64 = 100_000

    private func fourDecimals(_ steps: UInt64) -> String {
        let (whole, part) = steps.quotientAndRemainder(dividingBy: 10_000)
        let decimals = String("\(part + 10_000)".dropFirst())
        return own(Self.joined(grouped("\(whole)"), decimals) + " SHDW")
    }

    /// `9999.618896484 SHDW` → `9,999.61 SHDW`.
    private func short(_ text: String) -> String {
        let parts = text.split(separator: " ", maxSplits: 1)
        let number = parts[0].split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let whole = number.first, whole != "0" else { return text }
        return Self.joined(grouped(whole), number.count > 1 ? String(number[1].prefix(2)) : "") + " \(parts[1])"
    }

    /// `1234567` → `1,234,567`.
    private func grouped(_ whole: some StringProtocol) -> String {
        var groups = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, (whole.count - index).isMultiple(of: 3) { groups += "," }
            groups.append(digit)
        }
        return groups
    }

    /// A number without the zeros at its end.
    private static func joined(_ whole: String, _ decimals: String) -> String {
        var decimals = decimals
        while decimals.last == "0" { decimals.removeLast() }
        return whole + (decimals.isEmpty ? "" : ".\(decimals)")
    }

    /// A number and its unit with the language's separators. A no-break space keeps both on one line.
    private func own(_ text: String) -> String {
        number(text.replacingExactly(" ", with: "\u{a0}"))
    }
}
