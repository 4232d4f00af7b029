import App
import AquiferPayments
import Foundation

/// A person whom money can be sent to.
struct ContactDocument: Encodable {
    let id: Int
    let name: String
    let img: String
    let username: String

    init(_ contact: Contact) {
        id = contact.id
        name = contact.name
        img = contact.imageURL.absoluteString
        username = contact.username
    }
}

/// A card without its number.
struct CardDocument: Encodable {
    let id: String
    @OrNull var brand: String?
    let masked: String
    let holder: String
    let expiry: String
    let isTestCard: Bool
    /// True for the card that pays unless told otherwise. It is absent in a payment.
    let isDefault: Bool?

    init(_ card: CardSummary, isDefault: Bool? = nil) {
        id = card.id.uuidString
        _brand = OrNull(wrappedValue: card.brand?.rawValue)
        masked = card.masked
        holder = card.holder
        expiry = card.expiry.text
        isTestCard = card.isTestCard
        self.isDefault = isDefault
    }
}

/// A payment.
struct PaymentDocument: Encodable {
    let id: String
    let state: String
    @OrNull var number: Int?
    let value: Decimal
    let startedAt: Date
    @OrNull var bookedAt: Date?
    @OrNull var notFoundAt: Date?
    @OrNull var sendingUntil: Date?
    @OrNull var refusal: Int?
    let destinationUser: ContactDocument
    let card: CardDocument

    init(_ record: PaymentRecord) {
        id = record.id.uuidString
        state = record.state.rawValue
        _number = OrNull(wrappedValue: record.number)
        value = Decimal(record.amount.cents) / 100
        startedAt = record.startedAt
        _bookedAt = OrNull(wrappedValue: record.bookedAt)
        _notFoundAt = OrNull(wrappedValue: record.notFoundAt)
        _sendingUntil = OrNull(wrappedValue: record.sendingUntil)
        _refusal = OrNull(wrappedValue: record.refusal)
        destinationUser = ContactDocument(record.contact)
        card = CardDocument(record.card)
    }
}
