import Foundation

/// A payment that was decided. Nothing of its card is in it.
struct Transaction: Sendable {
    let id: Int
    let date: Date
    let cents: Int
    let receiver: Int
    let isApproved: Bool
}

/// The transactions of this process: each key pays once, however many requests bring it, and however concurrently.
final class TransactionLedger: Sendable {
    private struct State {
        var next = 12314
        var keyed: [String: (fingerprint: Int, transaction: Transaction)] = [:]
    }

    /// The key already stands for another order.
    struct KeyTaken: Error {}

    private let lock = NSLock()
    nonisolated(unsafe) private var state = State()

    /// The transaction of the key, decided now if there is none. Without a key every order is a new transaction.
    func transaction(for order: PaymentOrder, key: String?, at date: Date) throws(KeyTaken) -> Transaction {
        // A hash seeded at random tells orders apart without keeping a card's number or code.
        let fingerprint = order.hashValue
        let result: Result<Transaction, KeyTaken> = lock.withLock {
            if let key, let known = state.keyed[key] {
                return known.fingerprint == fingerprint ? .success(known.transaction) : .failure(KeyTaken())
            }
            let transaction = Transaction(
                id: state.next, date: date, cents: order.cents, receiver: order.receiver, isApproved: order.isApproved)
            state.next += 1
            if let key { state.keyed[key] = (fingerprint, transaction) }
            return .success(transaction)
        }
        return try result.get()
    }

    /// The transaction that the key stands for.
    func transaction(key: String) -> Transaction? { lock.withLock { state.keyed[key]?.transaction } }
}
