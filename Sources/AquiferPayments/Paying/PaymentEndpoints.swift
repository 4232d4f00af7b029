import Aquifer
import AquiferFoundation

/// The requests of the payments' contract (`docs/reference/payments.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /users`.
    public static func users(_ base: URL) -> HTTPRequest {
        HTTPRequest(.get, base.appending(path: "users"), headers: ["Accept": "application/json"])
    }

    /// `POST /transaction`: sends money. The key makes it one payment, however often it is sent.
    ///
    /// It follows no redirect: another address must receive neither the card's number nor its code, and its answer
    /// would show nothing about the payment.
    static func transaction(_ base: URL, _ order: PaymentOrder) -> HTTPRequest {
        HTTPRequest(
            .post, base.appending(path: "transaction"),
            headers: [
                "Accept": "application/json", "Content-Type": "application/json",
                "Idempotency-Key": order.key.uuidString,
            ],
            // A server that sends a byte now and then must not keep the outcome open for ever.
            body: .bytes(order.body), limits: .init(total: SendingLease.request), followsRedirects: false)
    }

    /// `GET /transaction?idempotency_key=KEY`: asks for the outcome of a payment. It is an addition of the reference
    /// remote.
    ///
    /// It follows no redirect either: only the remote itself knows the outcome of a payment.
    static func transaction(_ base: URL, key: UUID) -> HTTPRequest {
        let url = base.appending(path: "transaction").appending(
            queryItems: [URLQueryItem(name: "idempotency_key", value: key.uuidString)])
        return HTTPRequest(.get, url, headers: ["Accept": "application/json"], followsRedirects: false)
    }
}

/// One payment to be made, with all data of its request. It exists in memory only, and only until it is decided.
struct PaymentOrder: Sendable {
    /// The idempotency key, made once per payment.
    let key: UUID
    let contact: Contact
    let amount: Money
    let card: Card
    let code: SecurityCode
    /// The payments to this person that were known as made when the user began to fill in the form; `nil` if the user means a payment besides any other.
    var madeBefore: Set<UUID>?

    /// The body, in the contract's field names. It does not use an encoder, because no encoder guarantees amounts with
    /// exactly two decimals. All values are digits, so nothing needs escaping.
    var body: Data {
        // The contract sends the code as a number, which has no leading zeros.
        let code = Int(code.digits) ?? 0
        return Data(
            """
            {"card_number":"\(card.number.digits)","cvv":\(code),"value":\(amount.decimal),\
            "expiry_date":"\(card.expiry.text)","destination_user_id":\(contact.id)}
            """.utf8)
    }
}

extension PaymentOrder: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "payment \(key.uuidString)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
