import AquiferConcurrency
import Foundation

/// A payment that was decided. It holds the card's last four digits, and nothing of the code.
struct LedgerTransaction: Sendable, Codable, Hashable {
    let id: Int
    let date: Date
    let cents: Int
    let receiver: Int
    let lastFour: String
    let isApproved: Bool
    let key: String?

    /// True if an order is the one that this transaction decided. This compares the receiver, the cents and the card's
    /// last four digits, which are all that is stored of the order.
    func decides(_ order: PaymentOrder) -> Bool {
        receiver == order.receiver && cents == order.cents && lastFour == order.lastFour
    }
}

/// The transactions. Each key pays once, for any number of concurrent requests with it, also after a restart and with
/// several processes.
///
/// With a folder they are stored in `transactions.jsonl`, one line each with its checksum, written and flushed before
/// the answer. The last line of a killed process may be incomplete. It was never answered, and is cut off. A line that was
/// answered is never taken for such a one: `LedgerEnd` has the length up to the last answer.
///
/// The ledger waits for the file and its lock on a queue of its own, never on a thread that answers requests. It waits
/// for the lock no longer than `patience`. A request that is cancelled while it waits decides nothing.
final class TransactionLedger: Sendable {
    private struct State {
        var last = 12313
        var keyed: [String: LedgerTransaction] = [:]
        /// The number of bytes of the file that have been read.
        var offset = 0
    }

    /// The reasons why the ledger has no transaction for an order.
    enum Failure: Error {
        /// The key was used for another order.
        case keyTaken
        /// The file cannot be read or written, so no key can be reported as missing.
        case unusable(String)
        /// The request was cancelled before its turn. Nothing was decided.
        case left
    }

    private let folder: URL?
    private var path: String? { folder?.appending(path: "transactions.jsonl").path }
    private let patience: Duration
    private let queue = DispatchQueue(label: "aquifer.reference.transactions")
    /// Used only on the queue.
    nonisolated(unsafe) private var state = State()

    /// - Parameters:
    ///   - folder: The folder of the transactions, created with the first one; `nil` keeps them in memory only.
    ///   - patience: The longest wait while another process writes.
    init(folder: URL?, patience: Duration = .seconds(5)) {
        self.folder = folder
        self.patience = patience
    }

    /// The transaction of the key, decided now if there is none. Without a key every order is a new transaction.
    func transaction(for order: PaymentOrder, key: String?, at date: Date) async throws(Failure) -> LedgerTransaction {
        try await exclusively(isWriting: true) { [self] (state, file) throws(Failure) in
            if let key, let known = state.keyed[key] {
                guard known.decides(order) else { throw .keyTaken }
                return known
            }
            let transaction = LedgerTransaction(
                id: state.last + 1, date: date, cents: order.cents, receiver: order.receiver,
                lastFour: order.lastFour, isApproved: order.isApproved, key: key)
            if let file {
                state.offset = try append(transaction, to: file, at: state.offset)
                path.map { LedgerEnd(of: $0).write(state.offset) }
            }
            state.last += 1
            if let key { state.keyed[key] = transaction }
            return transaction
        }
    }

    /// The transaction of this key; `nil` if there is none.
    func transaction(key: String) async throws(Failure) -> LedgerTransaction? {
        try await exclusively(isWriting: false) { (state, _) throws(Failure) in state.keyed[key] }
    }

    /// Runs the work with the lock, after reading the lines of other processes. Nobody else, in this process or
    /// another, reads or writes meanwhile.
    private func exclusively<Value: Sendable>(
        isWriting: Bool, _ work: @escaping @Sendable (inout State, LedgerFile?) throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let departure = Departure()
        let result: Result<Value, Failure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    let result = Result { () throws(Failure) in
                        try locked(isWriting: isWriting, unless: departure, work)
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            departure.happen()
        }
        return try result.get()
    }

    /// Call this on the queue.
    private func locked<Value>(
        isWriting: Bool, unless departure: Departure, _ work: (inout State, LedgerFile?) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard !departure.hasHappened else { throw .left }
        guard let folder, let path else { return try work(&state, nil) }
        if !isWriting && LedgerFile.isMissing(path) {
            try LedgerEnd(of: path).check(0)
            return try work(&state, nil)
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch { throw .unusable("\(folder.path) cannot be made") }
        guard let file = LedgerFile(path) else { throw .system("open", path) }
        defer { file.close() }
        let end = ContinuousClock.now + patience
        while !file.lock() {
            guard file.isLockedByOther else { throw .system("lock", path) }
            guard !departure.hasHappened else { throw .left }
            guard ContinuousClock.now < end else { throw .unusable("\(path) is held by another process") }
            LedgerFile.pauseOneMillisecond()
        }
        try catchUp(file, path)
        return try work(&state, file)
    }

    /// Reads the lines that were added since the last read. The caller holds the file's lock.
    private func catchUp(_ file: LedgerFile, _ path: String) throws(Failure) {
        guard let size = file.size else { throw .system("read", path) }
        // A shorter file is not the file that was read before, so reading starts again.
        if size < state.offset { state = State() }
        guard var added = file.read(from: state.offset, to: size) else { throw .system("read", path) }
        while let end = added.firstIndex(of: UInt8(ascii: "\n")) {
            let line = added[added.startIndex..<end]
            guard let transaction = LedgerTransaction(line: Data(line)) else {
                throw .unusable(
                    LedgerTransaction.isOfEarlierVersion(Data(line))
                        ? SealedJSON.OtherVersion(path: path).description
                        : "\(path) is damaged at byte \(state.offset)")
            }
            state.last = max(state.last, transaction.id)
            if let key = transaction.key { state.keyed[key] = transaction }
            state.offset += line.count + 1
            added = added[(end + 1)...]
        }
        try LedgerEnd(of: path).check(state.offset)
    }

    /// Writes a line at the end of the last complete one, and flushes it.
    ///
    /// - Returns: The offset of its end.
    private func append(_ transaction: LedgerTransaction, to file: LedgerFile, at offset: Int) throws(Failure) -> Int {
        let line: Data
        do { line = try transaction.line() } catch { throw .unusable("a transaction cannot be encoded") }
        // A killed process may have left bytes after this line. They were never answered.
        guard file.write(line, at: offset), file.cut(to: offset + line.count), file.flush() else {
            throw undone(file, offset)
        }
        return offset + line.count
    }

    /// Removes a partly written line, so that a payment answered with an error is not booked.
    private func undone(_ file: LedgerFile, _ offset: Int) -> Failure {
        let failure = Failure.system("write", "transactions.jsonl")
        _ = file.cut(to: offset)
        return failure
    }
}

extension TransactionLedger.Failure {
    fileprivate static func system(_ operation: String, _ path: String) -> Self {
        .unusable("could not \(operation) \(path): \(LedgerFile.lastError)")
    }
}

/// Informs work on another thread that its task was cancelled.
private final class Departure: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var isOver = false

    var hasHappened: Bool { lock.withLock { isOver } }

    func happen() { lock.withLock { isOver = true } }
}
