/// The state of the form, and what its page can ask for.
extension DriveCreateScreen {
    struct State: ScreenState {
        let phase: Phase
        /// The step of the creation, in words.
        @OrNull var step: String?
        let name: String
        @OrNull var nameError: String?
        let size: String
        @OrNull var sizeError: String?
        /// The price of the size that was typed.
        @OrNull var spend: Spend?
        let isPriceKnown: Bool
        let canCreate: Bool
        @OrNull var created: Created?
        @OrNull var message: String?
        /// True if nobody knows whether the account was made.
        let isUnknown: Bool
        /// True if the price is not the one that was confirmed.
        let isPriceChanged: Bool
        @OrNull var balanceText: String?
        /// The balance with all its digits.
        @OrNull var balanceExact: String?
        /// The transaction of a server that was typed, to be handed over.
        let handed: String
        @OrNull var handedText: String?
        @OrNull var handedOwner: String?
        /// The text to type before the transaction is handed over.
        @OrNull var handedConfirmation: String?
        @OrNull var handedError: String?
        let canHandOver: Bool
        /// The signature of the transaction that was handed over; empty if there is none.
        @OrNull var handedOver: String?
        @OrNull var owner: String?
        let needsKey: Bool
        @OrNull var keyText: String?
    }

    enum Phase: String, Codable, Sendable, CaseIterable { case editing, creating, created, failed }

    struct Created: Codable, Sendable {
        let address: String
        let name: String
        let sizeText: String
    }

    enum Intent: String, ScreenIntent {
        case appear, name, size, create, again, transaction, handOver

        var fields: [String] {
            switch self {
            case .name, .size, .transaction: ["text"]
            case .create: ["size", "cost"]
            case .handOver: ["transaction", "typed?"]
            default: []
            }
        }
    }
}
