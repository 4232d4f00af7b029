import AquiferShadowDrive
import AquiferWording

/// The price of storage, with the balance before and after: it is shown before anything is paid.
struct Spend: Codable, Sendable {
    /// The price in shades, to the last one: who confirms it sends it back.
    let shades: String
    /// The price, rounded up.
    let cost: String
    /// The price with all its digits.
    let costExact: String
    /// The balance, rounded down.
    @OrNull var before: String?
    @OrNull var beforeExact: String?
    /// The balance that stays; `nil` if it is not enough, or not known.
    @OrNull var after: String?
    @OrNull var afterExact: String?
    /// True if the balance is known, and is not enough.
    let isTooMuch: Bool

    init(_ cost: UInt64, of wallet: Wallet?, _ language: Language) {
        let balance = wallet?.shades
        let after = balance.flatMap { $0 >= cost ? $0.saturatingSubtracting(cost) : nil }
        shades = "\(cost)"
        self.cost = language.price(cost)
        costExact = language.amount(cost)
        isTooMuch = balance != nil && after == nil
        _before = OrNull(wrappedValue: balance.map { language.balance(inShades: $0) })
        _beforeExact = OrNull(wrappedValue: balance.map { language.amount($0) })
        _after = OrNull(wrappedValue: after.map { language.balance(inShades: $0) })
        _afterExact = OrNull(wrappedValue: after.map { language.amount($0) })
    }
}

extension IntentFields {
    /// The price that the page showed before its user confirmed it: shades, or nothing if it is not known.
    func shownPrice() throws(IntentError) -> ShownPrice {
        try value("cost") { $0.isEmpty ? .unknown : UInt64($0).map(ShownPrice.shades) }
    }
}
