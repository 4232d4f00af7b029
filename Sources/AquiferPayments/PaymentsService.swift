import Aquifer
import AquiferFoundation

/// Contacts, cards and payments, composed.
public struct PaymentsService: Sendable {
    /// The entries that can be loaded again. (Payments are in a store of their own: ``PaymentLedger``.)
    public static let entries = [contacts]
    private static let contacts = EntryFamily("contacts:", codec: CacheCodec<[Contact]>.json)

    /// The people money can be sent to: the latest list, or one saved less than seven days ago.
    public let contacts: Resource<[Contact]>
    /// Their pictures.
    public let pictures: DataLoader
    /// The cards, sealed.
    public let vault: CardVault
    /// Makes payments.
    public let desk: PaymentDesk
    /// True if the remote's test card may be used.
    public let allowsTestCard: Bool
    /// The clock.
    let now: @Sendable () -> Date
    /// Makes the keys of payments and cards.
    let makeID: @Sendable () -> UUID
    let defaultCard: DefaultCard

    /// Payments with the server at `base`.
    ///
    /// - Parameters:
    ///   - base: The address of the server.
    ///   - client: Carries out the requests.
    ///   - store: The store of the contacts.
    ///   - pictureStore: The store of the pictures. Use one with a size limit.
    ///   - ledgerStore: The store of the payments made. Its entries must never expire or be evicted.
    ///   - isOther: True for the keys of what the app keeps beside the payments in `ledgerStore`. A damaged entry under such a
    ///     key is no damaged payment.
    ///   - sending: A folder of this ledger's own. A process that sends a payment holds a lock in it, which shows other
    ///     processes that it lives. With `nil` they have only the end of its turn in the ledger: a killed sender counts as
    ///     living for up to a minute, and the client must be one that `HTTPClient.asksBeforeSending`.
    ///   - vault: Keeps the cards.
    ///   - allowsTestCard: True if the remote's test card may be used.
    ///   - retry: The policy by which a failed load is tried again. A payment is never tried again by itself.
    ///   - patience: The time after which a load delivers the saved copy while the server has not answered; `nil` waits.
    ///   - clock: The clock for the turns of payments and for waiting for those of other processes.
    ///   - now: The clock for dates and ages.
    ///   - makeID: Makes the keys of payments, never the same twice.
    ///   - events: Told what the engine does; `nil` if nobody listens.
    public init(
        base: URL, client: any HTTPClient, store: any CacheStore, pictureStore: any CacheStore,
        ledgerStore: any CacheStore, isOther: @escaping @Sendable (String) -> Bool = { _ in false },
        sending: URL? = nil, vault: CardVault, allowsTestCard: Bool,
        retry: RetryPolicy = .never, patience: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> UUID = { UUID() },
        events: (any AquiferEvents)? = nil
    ) {
        let users = HTTPRequest.users(base)
        contacts = Resource(
            remote: RemoteLoader(users, client: client, retry: retry, map: ContactsMapper.map),
            cache: Cache(
                key: Self.contacts.key(users.url.absoluteString), in: store, policy: CachePolicy(patience: patience),
                now: now, events: events))
        pictures = DataLoader(
            client: client, store: pictureStore, retry: retry, now: now, events: events, check: PictureCheck.check)
        desk = PaymentDesk(
            base: base, client: client, ledger: PaymentLedger(ledgerStore, isOther: isOther),
            locks: sending.map { SendingLocks(folder: $0.standardizedFileURL.path) }, clock: clock, now: now)
        defaultCard = DefaultCard(in: ledgerStore, now: now)
        self.vault = vault
        self.allowsTestCard = allowsTestCard
        self.now = now
        self.makeID = makeID
    }

    /// The contact of this number: among those saved, else among the latest.
    public func contact(_ id: Int) async throws(LoadError) -> Contact? {
        // A saved copy that cannot be read is ignored, because the remote may answer.
        if let saved = try? await contacts.saved(), let contact = saved.value.first(where: { $0.id == id }) {
            return contact
        }
        return try await contacts.load().value.first { $0.id == id }
    }

    /// The contacts of this user name, with or without its `@`: those who are called exactly so, else those whose names differ in
    /// case only. If there are several, nobody is to be paid by this name.
    ///
    /// The latest contacts are asked for: a name may be another person's by now. `Loaded.source` tells if a saved copy has answered.
    public func contacts(named username: String) async throws(LoadError) -> Loaded<[Contact]> {
        let wanted = username.hasPrefix("@") ? username : "@\(username)"
        return try await contacts.load().map { all in
            let exact = all.filter { $0.username.isExactly(wanted) }
            return exact.isEmpty ? all.filter { $0.username.lowercased() == wanted.lowercased() } : exact
        }
    }

    /// The default card of these: the one chosen last, unless it was declined since and another one can be used.
    public func chosenCard(of cards: [CardSummary]) async -> CardSummary? {
        await defaultCard.card(of: cards)
    }

    /// Makes this card the default.
    public func choose(_ card: UUID) async throws(StoreError) {
        try await defaultCard.choose(card)
    }

    /// Stores a card, and chooses it.
    public func add(_ number: CardNumber, holder: String, expiry: Expiry) async throws(VaultError) -> CardSummary {
        let card = Card(id: makeID(), number: number, holder: holder, expiry: expiry)
        try await vault.add(card)
        // A choice that cannot be stored costs the user a tap, not a card.
        try? await choose(card.id)
        return card.summary
    }

    /// A payment to be made, with a key of its own, or the key of an attempt that was not sent.
    func order(
        _ amount: Money, to contact: Contact, with card: Card, _ code: SecurityCode, again key: UUID? = nil,
        madeBefore: Set<UUID>? = nil
    ) throws(PaymentError) -> PaymentOrder {
        guard !card.number.isTestCard || allowsTestCard else { throw .testCard }
        // The test card expired long ago; its remote takes it all the same.
        guard card.number.isTestCard || !card.expiry.isExpired(at: now()) else { throw .cardExpired }
        return PaymentOrder(
            key: key ?? makeID(), contact: contact, amount: amount, card: card, code: code, madeBefore: madeBefore)
    }

    /// Makes a payment.
    ///
    /// - Parameters:
    ///   - amount: The amount.
    ///   - contact: The receiver.
    ///   - card: The card to pay with.
    ///   - code: The card's security code. It is not stored.
    ///   - besides: the payments of this amount to this person that the user was shown, and pays besides. One that is
    ///     being sent is refused all the same.
    ///   - approved: those of them that the user was shown as made. Another one that was made since is refused again.
    ///   - madeBefore: ``PaymentDesk/made(to:)`` of the moment at which the user began. If one like it was made since, on another machine or in
    ///     another window, this one is refused. `nil` means a payment besides any other.
    /// - Returns: The payment with its outcome.
    /// - Throws: ``PaymentError/unresolved(_:)`` if earlier payments might be the same payment.
    public func pay(
        _ amount: Money, to contact: Contact, with card: Card, code: SecurityCode, besides: Set<UUID> = [],
        approved: Set<UUID> = [], madeBefore: Set<UUID>? = nil
    ) async throws(PaymentError) -> PaymentRecord {
        let order = try order(amount, to: contact, with: card, code, madeBefore: madeBefore)
        return try await send(order, besides: besides, approved: approved)
    }

    /// Sends a payment again that was not answered or failed. It has the same key, so that it is one payment in any
    /// case.
    ///
    /// A payment that is decided is returned as it is, and nothing is sent.
    ///
    /// - Parameters:
    ///   - record: The payment.
    ///   - card: The card it was sent with the first time. With another card it would be another payment.
    ///   - code: The card's security code. It is not stored.
    ///   - besides: Other payments of its amount to its receiver that the user was shown.
    ///   - approved: Those of them that the user was shown as made, such as those of ``PaymentDesk/madeSince(_:)``.
    /// - Returns: The payment with its outcome.
    /// - Throws: ``PaymentError/noCard`` if `card` is not the one it was sent with, ``PaymentError/unresolved(_:)`` if
    ///   other payments might be the same payment: their outcome is unknown, or they were made since.
    public func payAgain(
        _ record: PaymentRecord, with card: Card, code: SecurityCode, besides: Set<UUID> = [],
        approved: Set<UUID> = []
    ) async throws(PaymentError) -> PaymentRecord {
        guard card.id == record.card.id else { throw .noCard }
        guard !card.number.isTestCard || allowsTestCard else { throw .testCard }
        return try await send(
            PaymentOrder(key: record.id, contact: record.contact, amount: record.amount, card: card, code: code),
            besides: besides, approved: approved)
    }

    /// Asks the remote for the outcome of a payment, without making it.
    ///
    /// - Returns: The payment, decided if the remote showed its transaction; `nil` if there is none of this key.
    public func check(_ id: UUID) async throws(PaymentError) -> PaymentRecord? {
        let isOpen = await isOpen(id)
        let record = try await desk.check(id)
        if let record, isOpen { await note(record) }
        return record
    }

    /// Sends an order, and records its outcome for the choice of the default card.
    func send(
        _ order: PaymentOrder, besides: Set<UUID> = [], approved: Set<UUID> = []
    ) async throws(PaymentError) -> PaymentRecord {
        let isOpen = await isOpen(order.key)
        let record = try await desk.send(order, besides: besides, approved: approved)
        if isOpen { await note(record) }
        return record
    }

    /// True if the outcome of a payment is not recorded yet. A look at one that is recorded changes nothing.
    private func isOpen(_ id: UUID) async -> Bool {
        // No outcome can be read where the list cannot.
        (try? await desk.ledger.record(id))?.isDecided != true
    }

    private func note(_ record: PaymentRecord) async {
        // A mark that cannot be stored costs no money: the user sees the card before paying.
        try? await defaultCard.note(record)
    }
}
