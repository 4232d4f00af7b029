import Aquifer
import Foundation

/// The requests of the payments' contract (`reference/payments.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /users`.
    public static func users(_ base: URL) -> HTTPRequest {
        HTTPRequest(.get, base.appending(path: "users"), headers: ["Accept": "application/json"])
    }

    /// `POST /transaction`: sends money. The key makes it one payment, however often it is sent.
    static func transaction(_ base: URL, _ order: PaymentOrder) -> HTTPRequest {
        HTTPRequest(
            .post, base.appending(path: "transaction"),
            headers: [
                "Accept": "application/json", "Content-Type": "application/json",
                "Idempotency-Key": order.key.uuidString,
            ],
            body: .bytes(order.body))
    }

    /// `GET /transaction?idempotency_key=KEY`: what became of a payment. An addition of the reference remote.
    static func transaction(_ base: URL, key: UUID) -> HTTPRequest {
        let url = base.appending(path: "transaction").appending(
            queryItems: [URLQueryItem(name: "idempotency_key", value: key.uuidString)])
        return HTTPRequest(.get, url, headers: ["Accept": "application/json"])
    }
}

/// One payment to be made, with all that its request needs. Lives in memory only, and only until it is decided.
struct PaymentOrder: Sendable {
    /// Made once per payment.
    let key: UUID
    let contact: Contact
    let amount: Money
    let card: Card
    let code: SecurityCode

    /// The body, in the contract's field names. Written by hand: money goes out with exactly two decimals, which no
    /// encoder promises. Every piece is digits, so nothing needs escaping.
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
