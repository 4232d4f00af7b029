import AquiferWording

extension PaymentRecord.State {
    /// The state in words.
    public func text(_ language: Language) -> String {
        switch self {
        case .sending: language.text("payments.state.sending")
        case .approved: language.text("payments.state.approved")
        case .declined: language.text("payments.state.declined")
        case .unknown: language.text("payments.state.unknown")
        case .failed: language.text("payments.state.failed")
        case .abandoned: language.text("payments.state.abandoned")
        }
    }
}

extension PaymentRecord {
    /// The news that the payment has come to this state, in a sentence.
    public func result(_ language: Language) -> String {
        let (amount, name) = (amount.text, contact.name)
        return switch state {
        case .sending: language.text("payments.result.sending", ["amount": amount, "name": name])
        case .approved: language.text("payments.result.approved", ["amount": amount, "name": name])
        case .declined: language.text("payments.result.declined", ["amount": amount, "name": name])
        case .unknown: language.text("payments.result.unknown", ["amount": amount, "name": name])
        case .failed: language.text("payments.result.failed", ["amount": amount, "name": name])
        case .abandoned: language.text("payments.result.abandoned", ["amount": amount, "name": name])
        }
    }
}
