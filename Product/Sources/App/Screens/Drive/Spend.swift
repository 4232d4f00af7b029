import AquiferShadowDrive
import AquiferWording

/// The price of storage, with the balance before and after: it is shown before anything is paid.
struct Spend: Codable, Sendable {
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
        let after = balance.flatMap { $0 >= cost ? $0 - cost : nil }
        self.cost = language.price(cost)
        costExact = language.amount(cost)
        isTooMuch = balance != nil && after == nil
        _before = OrNull(wrappedValue: balance.map { language.balance(inShades: $0) })
        _beforeExact = OrNull(wrappedValue: balance.map { language.amount($0) })
        _after = OrNull(wrappedValue: after.map { language.balance(inShades: $0) })
        _afterExact = OrNull(wrappedValue: after.map { language.amount($0) })
    }
}
