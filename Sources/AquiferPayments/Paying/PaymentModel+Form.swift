import Aquifer
import AquiferFoundation

/// The form: amount, card and security code, as users enter them.
extension PaymentModel {
    /// True if there is no card to pay with. Cards that could not be read may be there.
    public var needsCard: Bool {
        if case .vault = problem { return false }
        return cards.isEmpty && phase == .ready
    }
    /// True if everything is there.
    public var canPay: Bool {
        phase == .ready && contact != nil && card != nil && code != nil && amount.cents > 0 && amount <= .limit
            && isUsable(card)
    }

    /// The reason why the amount as it stands cannot be paid; `nil` if it can.
    public var amountProblem: MoneyError? {
        amountError ?? (amount.cents <= 0 ? .empty : nil)
    }
    /// The reason why the security code as it stands cannot be sent; `nil` if it can.
    public var codeProblem: SecurityCodeError? { code == nil ? codeError ?? .empty : nil }
    /// The reason why the chosen card cannot pay; `nil` if it can, or if none is chosen.
    public var cardProblem: PaymentError? {
        guard let card, !isUsable(card) else { return nil }
        return card.isTestCard ? .testCard : .cardExpired
    }

    /// The amount as digits, cents last. One over the limit is an error, and stays as it was typed, up to eleven digits.
    public func enter(digits: String) {
        guard phase == .ready else { return }
        let digits = digits.filter { $0.isASCII && $0.isNumber }.drop { $0 == "0" }.prefix(11)
        amount = Money(cents: Int(digits) ?? 0)
        amountError = amount > .limit ? .overLimit : nil
    }

    /// Takes the amount as people write it, such as pasted text. A text that is not an amount is an error, and changes
    /// nothing.
    public func enter(amount text: String) {
        guard phase == .ready else { return }
        do throws(MoneyError) {
            amount = try Money(parsing: text)
            amountError = nil
        } catch {
            amountError = error
        }
    }

    /// The security code as typed.
    public func enter(code text: String) {
        guard phase == .ready else { return }
        do throws(SecurityCodeError) {
            code = try SecurityCode(text, for: card?.brand)
            codeError = nil
        } catch {
            code = nil
            codeError = error
        }
    }

    /// Chooses another card. The user must enter the security code again, because it belongs to the card.
    public func choose(_ id: UUID) async {
        guard phase == .ready, let chosen = cards.first(where: { $0.id == id }) else { return }
        card = chosen
        forgetCode()
        // A choice that cannot be stored still applies to this payment.
        try? await service.choose(id)
        lastChoice = await service.chosenCard(of: cards)?.id
    }

    private func isUsable(_ card: CardSummary?) -> Bool {
        guard let card else { return false }
        return card.isTestCard ? service.allowsTestCard : !card.expiry.isExpired(at: service.now())
    }

    /// Forgets the security code, which belongs to one payment with one card.
    func forgetCode() {
        code = nil
        codeError = nil
    }
}
