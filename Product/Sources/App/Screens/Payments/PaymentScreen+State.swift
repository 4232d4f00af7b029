import Foundation

/// The state of a payment, and what its page can ask for.
extension PaymentScreen {
    struct State: ScreenState {
        let title: String
        let phase: Phase
        @OrNull var contact: ContactLine?
        let amount: Amount
        let needsCard: Bool
        /// The card that pays.
        @OrNull var card: CardLine?
        /// The reason why this card cannot pay.
        @OrNull var cardProblem: String?
        let cards: [CardLine]
        let code: Code
        let canPay: Bool
        let canRetry: Bool
        /// True while the remote is asked for the outcome of a payment.
        let isChecking: Bool
        /// The number of requests of the page that have ended. It changes with each, even if nothing else does.
        let ended: Int
        /// The attempt that the page asked about last and need not keep, because its user has given it up.
        @OrNull var over: String?
        /// The key of the payment whose outcome is shown, as pages write keys.
        @OrNull var shown: String?
        let payLabel: String
        /// The outcome in words, if it is neither good nor unknown.
        @OrNull var message: String?
        @OrNull var receipt: Receipt?
        @OrNull var unknown: Unknown?
        @OrNull var earlier: Earlier?
        @OrNull var error: ScreenError?
    }

    enum Phase: String, Codable, Sendable, CaseIterable {
        case loading, missing, unloaded, ready, earlier, sending, approved, declined, failed, unknown
    }

    struct Amount: Codable, Sendable {
        /// The amount in cents; empty for none.
        let digits: String
        let text: String
        /// The page's mark of the last edit that the model has taken; empty before the first.
        let edit: String
        @OrNull var error: String?
        /// The reason why the amount as it stands cannot be paid.
        @OrNull var problem: String?
    }

    /// The field of the card's code. The code itself is in no state.
    struct Code: Codable, Sendable {
        let length: Int
        /// The reason why the code as it stands cannot be sent.
        @OrNull var problem: String?
    }

    struct Receipt: Codable, Sendable {
        @OrNull var number: Int?
        /// The date for programs, in RFC 3339.
        let date: String
        let dateText: String
        let name: String
        let username: String
        let masked: String
        let brandName: String
        /// The name of the remote's test card, if it has paid.
        @OrNull var testLabel: String?
        let amount: String
        let total: String
        let status: String
    }

    /// The payment that was sent from this screen and not answered.
    struct Unknown: Codable, Sendable {
        let text: String
        let canGiveUp: Bool
    }

    /// Earlier payments of this amount to this contact.
    struct Earlier: Codable, Sendable {
        let lines: [String]
        /// Those that are shown as made.
        let approved: [UUID]
        /// True if the form sends one of them again under its key.
        let canRetry: Bool
        @OrNull var failed: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, amount, amountText, chooseCard, code, pay, resume, check, retry, giveUp, checkEarlier, retryEarlier
        case payOnceMore, again, dismissError

        var fields: [String] {
            switch self {
            case .amount: ["digits", "edit?"]
            case .amountText: ["text", "digits?", "edit?"]
            case .pay: ["digits", "card?", "attempt?", "doubts?"]
            case .resume: ["attempt"]
            case .payOnceMore, .retryEarlier: ["approved?"]
            case .chooseCard: ["id"]
            case .code: ["value"]
            default: []
            }
        }
    }
}
