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
