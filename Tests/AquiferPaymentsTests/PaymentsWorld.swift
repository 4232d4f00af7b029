import Aquifer
import AquiferTesting
import Foundation

@testable import AquiferPayments

/// Payments with remote, stores, vault and clock under a test's control.
final class PaymentsWorld: Sendable {
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let ledger = FaultyStore(RepeatingStore())
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let base = URL(string: "http://payments.example")!
    let folder: URL
    let service: PaymentsService
    let clock = ManualClock()
    var desk: PaymentDesk { service.desk }
    var locks: SendingLocks { SendingLocks(folder: folder.appending(path: "sending").path) }

    init(allowsTestCard: Bool = false, client: ScriptedHTTPClient) {
        self.client = client
        folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-payments-\(UUID().uuidString)")
        service = PaymentsService(
            base: base, client: client, store: store, pictureStore: store, ledgerStore: ledger,
            sending: folder.appending(path: "sending"),
            vault: CardVault(directory: folder.appending(path: "cards"), keys: folder.appending(path: "keys")),
            allowsTestCard: allowsTestCard, clock: clock, now: date.read)
    }

    /// Another process's desk over the same ledger, with a connection of its own.
    ///
    /// - Parameter sharesLocks: true if it sees the locks of senders; else it sees only the dates in their leases.
    func otherDesk(_ client: ScriptedHTTPClient, sharesLocks: Bool = true) -> PaymentDesk {
        PaymentDesk(
            base: base, client: client, ledger: PaymentLedger(ledger), locks: sharesLocks ? locks : nil, clock: clock,
            now: date.read)
    }

    convenience init(allowsTestCard: Bool = false, _ replies: ScriptedHTTPClient.Reply...) {
        self.init(allowsTestCard: allowsTestCard, client: ScriptedHTTPClient(replies))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    let contact = Contact(
        id: 1002, name: "Marina Coelho", imageURL: URL(string: "http://payments.example/2.jpg")!,
        username: "@marina.coelho")

    /// A Visa card that is good until the end of 2029.
    func card(_ number: String = "4012888888881881") throws -> Card {
        Card(
            number: try CardNumber(number, allowsTestCard: true), holder: "Ana Souza",
            expiry: Expiry(month: 12, year: 2029))
    }

    func order(_ cents: Int = 7990, code: String = "789") throws -> PaymentOrder {
        let card = try card()
        return PaymentOrder(
            key: UUID(), contact: contact, amount: Money(cents: cents), card: card,
            code: try SecurityCode(code, for: card.number.brand))
    }
}

extension ScriptedHTTPClient.Reply {
    /// The remote's word on a payment to contact 1002.
    static func transaction(success: Bool = true, value: String = "79.9", user: Int = 1002, status: Int = 200) -> Self {
        .answer(
            status: status,
            body: Data(
                """
                {"transaction":{"id":12314,"timestamp":1553145066,"value":\(value),"destination_user":{"id":\(user),\
                "name":"Marina Coelho","img":"http://x.example/2.jpg","username":"@marina.coelho"},\
                "success":\(success),"status":"\(success ? "Aprovada" : "Recusada")"}}
                """.utf8))
    }

    /// The remote's word that it has booked nothing under a key.
    static let noTransaction = Self.answer(
        status: 404, body: Data(#"{"error":"no transaction has this key"}"#.utf8))

    static let contacts = Self.answer(
        body: Data(
            """
            [{"id":1001,"name":"Eduardo Santos","img":"http://x.example/1.jpg","username":"@eduardo.santos"},
            {"id":1002,"name":"Marina Coelho","img":"http://payments.example/2.jpg","username":"@marina.coelho"},
            {"id":1003,"name":"Márcia da Silva","img":"http://x.example/3.jpg","username":"@marcia.silva"}]
            """.utf8))

    static let refused = Self.failure(TransportError(.cannotConnect))
    static let offline = Self.failure(TransportError(.offline))
}

extension String {
    /// True if a card's code stands in it as a value of its own. Identifiers and times, whose digits are random, may
    /// have the same digits within.
    func tells(code: String) -> Bool {
        ranges(of: code).contains { range in
            let neighbours = [self[..<range.lowerBound].last, self[range.upperBound...].first]
            return !neighbours.contains { $0.map { $0.isLetter || $0.isNumber || "-._".contains($0) } ?? false }
        }
    }
}
