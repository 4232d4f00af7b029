import Aquifer
import AquiferWording

/// The reasons why a payment was not sent or could not be checked, or a decision about one was not recorded.
public enum PaymentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The payment could not be recorded, so it was not sent.
    case ledger(StoreError)
    /// The user's decision about a payment could not be recorded.
    case notKept(StoreError)
    /// The card is no longer stored.
    case noCard
    /// The card has expired.
    case cardExpired
    /// The card is the test card, and this remote does not accept it.
    case testCard
    /// The client does not say that it `HTTPClient.asksBeforeSending`, and no lock shows whether a sender lives: a payment could
    /// leave after others have taken it for lost.
    case unsuitableClient
    /// A payment of this key is on its way, here or in another process.
    case underWay
    /// Nothing was sent: these payments have the same amount and receiver, and their outcome is unknown. The user
    /// checks one of them, sends it again under its own key, or confirms that a second payment is meant.
    case unresolved([PaymentRecord])
    /// The payment was made with the server of this address, and was left unchanged: no other server knows it.
    case otherServer(String)
    /// The server was asked for the outcome of the payment, and gave no usable answer.
    case notAnswered(LoadError)

    /// One line with the error and the remedy.
    public var description: String {
        switch self {
        case .ledger(let error):
            "the payment was not sent, because the payments made cannot be read or written: \(error)"
        case .notKept(let error): "the payment is as it was, because the change could not be written down: \(error)"
        case .noCard: "the card is not there any more; choose another one"
        case .cardExpired: "the card has expired; choose another one"
        case .testCard: "the test card is for the reference remote only; choose another one"
        case .unsuitableClient:
            "the payment was not sent: this HTTP client cannot tell when it sends; use one that asks HTTPRequest.maySend"
        case .underWay: "this payment is on its way; wait for it"
        case .unresolved(let earlier):
            "the payment was not sent: it is not known whether \(earlier.count == 1 ? "an earlier one" : "earlier ones")"
                + " of this amount to the same person went through"
        case .otherServer(let server):
            "the payment was made with \(server), and was left alone"
        case .notAnswered(let error): "it is still not known whether the payment was made: \(error)"
        }
    }

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .ledger(.full): language.text("payment.ledgerFull")
        case .ledger: language.text("payment.ledgerUnusable")
        case .notKept(.full): language.text("payment.notKeptFull")
        case .notKept: language.text("payment.notKept")
        case .noCard: language.text("payment.noCard")
        case .cardExpired: language.text("payment.cardExpired")
        case .testCard: language.text("payment.testCard")
        case .unsuitableClient: language.text("payment.unsuitable")
        case .underWay: language.text("payment.underWay")
        case .unresolved: language.text("payment.unresolved")
        case .otherServer(let server): language.text("payment.otherServer", ["server": server])
        case .notAnswered(let error):
            error.message(in: language) { language.text("payment.notAnswered", ["trouble": $0]) }
        }
    }
}
