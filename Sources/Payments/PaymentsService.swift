import Aquifer
import Foundation

/// Contacts, cards and payments, composed.
public struct PaymentsService: Sendable {
    /// The people money can be sent to: the latest, or those saved less than seven days ago.
    public let contacts: Resource<[Contact]>
    /// Their pictures.
    public let pictures: DataLoader
    /// The cards, sealed.
    public let vault: CardVault
    /// Makes payments.
    public let desk: PaymentDesk
    /// Whether the remote's test card may be used.
    public let allowsTestCard: Bool
    /// The clock.
    let now: @Sendable () -> Date
    /// Makes the keys of payments and cards.
    let makeID: @Sendable () -> UUID
    private let choice: Cache<UUID>

    /// Payments with the server at `base`.
    ///
    /// - Parameters:
    ///   - store: keeps the contacts.
    ///   - pictureStore: keeps the pictures; give it a bound.
    ///   - ledgerStore: keeps the payments made. Nothing may expire or evict its entries.
    ///   - allowsTestCard: whether the remote is one whose test card may be used.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore, pictureStore: any CacheStore,
        ledgerStore: any CacheStore, vault: CardVault, allowsTestCard: Bool, retry: RetryPolicy = .never,
        now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        let users = HTTPRequest.users(base)
        contacts = Resource(
            remote: RemoteLoader(users, client: client, retry: retry, map: ContactsMapper.map),
            cache: Cache(key: "contacts:\(users.url.absoluteString)", in: store, now: now))
        pictures = DataLoader(
            client: client, store: pictureStore, retry: retry, now: now, check: PictureCheck.check)
        desk = PaymentDesk(base: base, client: client, ledger: PaymentLedger(ledgerStore), now: now)
        choice = Cache(key: "chosen-card", in: ledgerStore, policy: .forever, now: now)
        self.vault = vault
        self.allowsTestCard = allowsTestCard
        self.now = now
        self.makeID = makeID
    }

    /// The contact of this number: among those saved, else among the latest.
    public func contact(_ id: Int) async throws(LoadError) -> Contact? {
        try await find { $0.id == id }
    }

    /// The contact of this user name, with or without its `@`.
    public func contact(named username: String) async throws(LoadError) -> Contact? {
        let wanted = username.hasPrefix("@") ? username : "@\(username)"
        return try await find { $0.username.lowercased() == wanted.lowercased() }
    }

    /// The card that payments are made with: the one chosen, else the first that has not expired, else the first.
    public func chosenCard(of cards: [CardSummary]) async -> CardSummary? {
        // A choice that cannot be read is no choice.
        let chosen = (try? await choice.load())?.value
        return cards.first { $0.id == chosen } ?? cards.first { !$0.expiry.isExpired(at: now()) } ?? cards.first
    }

    /// Makes payments with this card from now on.
    public func choose(_ card: UUID) async throws(StoreError) {
        try await choice.save(card)
    }

    /// Keeps a card, and chooses it.
    public func add(_ number: CardNumber, holder: String, expiry: Expiry) async throws(VaultError) -> CardSummary {
        let card = Card(id: makeID(), number: number, holder: holder, expiry: expiry)
        try await vault.add(card)
        // A choice that cannot be kept costs a tap, not a card.
        try? await choose(card.id)
        return card.summary
    }

    /// A payment to be made, with a key of its own.
    func order(_ amount: Money, to contact: Contact, with card: Card, _ code: SecurityCode) throws(PaymentError)
        -> PaymentOrder
    {
        guard !card.number.isTestCard || allowsTestCard else { throw .testCard }
        // The test card expired long ago; its remote takes it all the same.
        guard card.number.isTestCard || !card.expiry.isExpired(at: now()) else { throw .cardExpired }
        return PaymentOrder(key: makeID(), contact: contact, amount: amount, card: card, code: code)
    }

    /// Pays at once, for who has everything at hand.
    ///
    /// - Returns: what became of the payment.
    public func pay(
        _ amount: Money, to contact: Contact, with card: Card, code: SecurityCode
    ) async throws(PaymentError) -> PaymentRecord {
        try await desk.send(order(amount, to: contact, with: card, code))
    }

    /// Sends a payment that was not answered again: with the same key, so that it is one payment whatever happened.
    ///
    /// A payment that is decided is returned as it is, and nothing is sent.
    ///
    /// - Parameter card: the card it was sent with the first time; another one would be another payment.
    /// - Returns: what became of the payment.
    /// - Throws: ``PaymentError/noCard`` when `card` is not the one it was sent with.
    public func payAgain(_ record: PaymentRecord, with card: Card, code: SecurityCode)
        async throws(PaymentError) -> PaymentRecord
    {
        guard card.id == record.card.id else { throw .noCard }
        guard !card.number.isTestCard || allowsTestCard else { throw .testCard }
        return try await desk.send(
            PaymentOrder(key: record.id, contact: record.contact, amount: record.amount, card: card, code: code))
    }

    private func find(_ isWanted: (Contact) -> Bool) async throws(LoadError) -> Contact? {
        // A copy that cannot be read is no hindrance while the remote can be asked.
        if let saved = try? await contacts.saved(), let contact = saved.value.first(where: isWanted) { return contact }
        return try await contacts.load().value.first(where: isWanted)
    }
}
