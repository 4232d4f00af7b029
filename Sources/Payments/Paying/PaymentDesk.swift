import Aquifer
import Foundation

/// Why a payment was not sent.
public enum PaymentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// It could not be written down first; what is not written down is not sent.
    case ledger(StoreError)
    /// The card is no longer there.
    case noCard
    /// The card has expired.
    case cardExpired
    /// The remote's test card, and this is not the reference remote.
    case testCard
    /// A payment of this key is on its way.
    case underWay

    /// One line: what was wrong, and what to do.
    public var description: String {
        switch self {
        case .ledger(let error): "the payment was not sent, because it could not be written down: \(error)"
        case .noCard: "the card is not there any more; choose another one"
        case .cardExpired: "the card has expired; choose another one"
        case .testCard: "the test card is for the reference remote only; choose another one"
        case .underWay: "this payment is on its way; wait for it"
        }
    }

    /// What the customer is told.
    public func message(in language: Language) -> String {
        switch self {
        case .ledger:
            language.pick(
                "Nothing was sent: the payment couldn’t be written down first. Free some room and try again.",
                "Nada foi enviado: não deu para registrar o pagamento antes. Libere espaço e tente de novo.")
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
        }
    }
}

/// Makes payments, each at most once.
///
/// - A payment is written down before it is sent, with its key; what cannot be written down is not sent.
/// - It is sent once. Nothing is tried again by itself.
/// - What was sent and not answered is ``PaymentRecord/State/unknown``, here and after a restart, until ``check(_:)``
///   or a retry with the same key decides it.
/// - A caller who leaves does not stop a payment that was sent: its outcome is written down all the same.
public actor PaymentDesk {
    /// The payments made.
    public nonisolated let ledger: PaymentLedger
    private let base: URL
    private let client: any HTTPClient
    private let now: @Sendable () -> Date
    private var underWay: Set<UUID> = []
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(base: URL, client: any HTTPClient, ledger: PaymentLedger, now: @escaping @Sendable () -> Date) {
        self.base = base
        self.client = client
        self.ledger = ledger
        self.now = now
    }

    /// Sends a payment, or sends it again with the same key.
    ///
    /// - Returns: what became of it.
    func send(_ order: PaymentOrder) async throws(PaymentError) -> PaymentRecord {
        guard underWay.insert(order.key).inserted else { throw .underWay }
        defer { ended(order.key) }
        var record = PaymentRecord(order, at: now())
        do throws(StoreError) {
            if let known = try await ledger.record(order.key) {
                // Decided already, by an answer to an earlier try: sending again would ask for nothing.
                if known.state == .approved || known.state == .declined { return known }
                record = known
                record.state = .sending
            }
            try await ledger.keep(record)
        } catch { throw .ledger(error) }

        // A task of its own: who goes back while paying does not cut the payment off.
        let request = HTTPRequest.transaction(base, order)
        let outcome = await Task { [client] in await Outcome(of: request, by: client) }.value
        return await settle(record, outcome)
    }

    /// Asks what became of a payment, without making it.
    ///
    /// - Returns: the payment, decided if the remote could tell.
    public func check(_ id: UUID) async throws(LoadError) -> PaymentRecord? {
        let known: PaymentRecord?
        do throws(StoreError) { known = try await ledger.record(id) } catch {
            throw .store(error, after: .connectivity)
        }
        guard let record = known, record.state == .unknown || record.state == .sending, !underWay.contains(id) else {
            return known
        }
        let answer = try await RemoteLoader<Outcome>(.transaction(base, key: id), client: client) { head, body in
            if head.status == 404, Self.isUnknownKey(body) { return .refused(404) }
            return .answered(try TransactionMapper.map(head, body))
        }.load()
        return await settle(record, answer)
    }

    /// Waits until one of the payments under way here has come to its end; returns at once when there is none.
    public func nextOutcome() async {
        guard !underWay.isEmpty else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func ended(_ key: UUID) {
        underWay.remove(key)
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// A payment as it stands for this process: one that is not under way here is not known to be under way at all.
    public func present(_ record: PaymentRecord) -> PaymentRecord {
        guard record.state == .sending, !underWay.contains(record.id) else { return record }
        var record = record
        record.state = .unknown
        return record
    }

    private func settle(_ record: PaymentRecord, _ outcome: Outcome) async -> PaymentRecord {
        var record = record
        switch outcome {
        case .answered(let transaction)
        where transaction.cents == record.amount.cents && transaction.contactID == record.contact.id:
            record.state = transaction.isApproved ? .approved : .declined
            record.number = transaction.number
            record.bookedAt = transaction.date
        case .answered, .unanswered: record.state = .unknown
        case .unsent, .refused: record.state = .failed
        }
        // If this cannot be written down, the ledger goes on saying "sending", which is shown as unknown: true, and safe.
        try? await ledger.keep(record)
        return record
    }

    /// Only a remote that knows of keys can say that it knows none of this one.
    private static func isUnknownKey(_ body: Data) -> Bool {
        // Anything else than that sentence says nothing of the payment.
        (try? JSONDecoder().decode([String: String].self, from: body)) == ["error": "no transaction has this key"]
    }
}

/// How a payment's request ended.
private enum Outcome: Sendable {
    /// With a transaction.
    case answered(Transaction)
    /// It never left this machine.
    case unsent
    /// The remote did not take it.
    case refused(Int)
    /// It may have arrived, and no answer that makes sense has come.
    case unanswered

    init(_ transaction: Transaction) { self = .answered(transaction) }

    init(of request: HTTPRequest, by client: any HTTPClient) async {
        let head: HTTPResponseHead
        let body: Data
        do throws(TransportError) {
            let response = try await client.send(request)
            head = response.head
            body = try await response.data(upTo: 1 << 20)
        } catch {
            switch error.kind {
            // No connection was made, so nothing was sent.
            case .offline, .cannotResolve, .cannotConnect, .insecure, .unsupportedURL, .unreadableBody: self = .unsent
            default: self = .unanswered
            }
            return
        }
        do {
            self = .answered(try TransactionMapper.map(head, body))
        } catch {
            // A refusal decides; a server that is too busy, or breaks down, may have done it before.
            let refuses = (400...499).contains(head.status) && ![408, 409, 425, 429, 499].contains(head.status)
            self = refuses ? .refused(head.status) : .unanswered
        }
    }
}
