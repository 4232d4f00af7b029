import Aquifer

/// Amounts of SHDW in shades, which are billionths of a SHDW.
public enum Shades {
    /// The text of an amount with all its digits: "0.25 SHDW".
    public static func text(_ shades: UInt64) -> String { billionths(shades) + " SHDW" }
}

/// Amounts of SOL in lamports, which are billionths of a SOL.
public enum Lamports {
    /// The fee of a transaction for each signature, in lamports.
    public static let perSignature: UInt64 = 5_000

    /// The text of an amount with all its digits: "0.00001 SOL".
    public static func text(_ lamports: UInt64) -> String { billionths(lamports) + " SOL" }
}

extension ComputeBudget {
    /// The compute units that the chain assumes for a transaction without a limit, and the maximum.
    private static let units: (usual: UInt32, most: UInt32) = (200_000, 1_400_000)

    /// The priority fee in lamports, rounded up. It is the largest `UInt64` if the fee is larger.
    public var priorityFee: UInt64 {
        let used = UInt128(min(units ?? Self.units.usual, Self.units.most))
        return UInt64(clamping: (UInt128(price ?? 0) * used + 999_999) / 1_000_000)
    }
}

extension StorageTransaction {
    /// The fee for the signatures, in lamports.
    public var signatureFee: UInt64 { Lamports.perSignature * (instruction.kind.needsUploader ? 2 : 1) }
    /// The total fee of the transaction in lamports. It is the largest `UInt64` if the fee is larger.
    public var fee: UInt64 { signatureFee.saturatingAdding(computeBudget.priorityFee) }
}

private func billionths(_ number: UInt64) -> String {
    let (whole, part) = number.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard part > 0 else { return "\(whole)" }
    var digits = String(1_000_000_000 + part).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
}
