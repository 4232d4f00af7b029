import Aquifer

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
        case .ledger(.full):
            language.pick(
                "Nothing was sent: the payment couldn’t be written down first. Free some room and try again.",
                "Nada foi enviado: não deu para registrar o pagamento antes. Libere espaço e tente de novo.")
        case .ledger:
            language.pick(
                "Nothing was sent: the list of payments made can’t be read or written. Look at the data folder before you pay.",
                "Nada foi enviado: não deu para ler ou gravar a lista de pagamentos feitos. Verifique a pasta de dados antes de pagar."
            )
        case .notKept(.full):
            language.pick(
                "The payment is as it was: the change couldn’t be written down. Free some room and try again.",
                "O pagamento continua como estava: não deu para registrar a mudança. Libere espaço e tente de novo.")
        case .notKept:
            language.pick(
                "The payment is as it was: the list of payments made can’t be read or written. Look at the data folder.",
                "O pagamento continua como estava: não deu para ler ou gravar a lista de pagamentos feitos. Verifique a pasta de dados."
            )
        case .noCard:
            language.pick("This card is gone. Choose another one.", "Este cartão não existe mais. Escolha outro.")
        case .cardExpired:
            language.pick("This card has expired. Choose another one.", "Este cartão venceu. Escolha outro.")
        case .testCard:
            language.pick(
                "The test card works with the reference server only.",
                "O cartão de teste só funciona com o servidor de referência.")
        case .underWay:
            language.pick("This payment is on its way.", "Este pagamento está a caminho.")
        case .unresolved:
            language.pick(
                "Nothing was sent: it isn’t known whether an earlier payment of this amount to the same person went through. Check that one first.",
                "Nada foi enviado: não se sabe se um pagamento anterior deste valor para a mesma pessoa foi feito. Verifique esse primeiro."
            )
        case .otherServer(let server):
            language.pick(
                "This payment was made with another server, \(server). Only that one knows of it.",
                "Este pagamento foi feito com outro servidor, \(server). Só ele sabe deste pagamento.")
        case .notAnswered(let error): error.message(in: language)
        }
    }
}
