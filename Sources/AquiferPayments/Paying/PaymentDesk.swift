import Aquifer
import AquiferFoundation

/// Makes payments, each at most once.
///
/// - A payment is recorded with its key before it is sent. A payment that cannot be recorded is not sent.
/// - It is sent once. There are no automatic retries, and no redirect is followed.
/// - A payment that was sent and not answered as the contract defines is ``PaymentRecord/State/unknown``, also after a
///   restart. Only an answer with its transaction decides it. An answer that the remote knows no such payment is noted
///   (``PaymentRecord/notFoundAt``) and decides nothing, nor does ``giveUp(_:)``. A retry has the same key.
/// - While the outcome of a payment is unknown, another payment of its amount to the same person is refused
///   (``PaymentError/unresolved(_:)``), unless the user was shown the earlier one and means a second. That holds for one that
///   was given up, too, until one like it was made. While a payment is being sent, another one like it is refused in any case.
/// - A payment like one that was made while the user filled in its form, on another machine or in another window, is not sent either,
///   unless the user was shown that one.
/// - A payment that was not made is not sent again after another one like it was made since, unless the user was shown
///   that one and means a second: they have probably paid by it.
/// - A payment that any living process is sending is ``PaymentRecord/State/sending``. No other process changes that,
///   unless the remote shows its transaction. The lock of a killed process shows at once that it was killed.
/// - A payment is sent again, and checked, only with the server that it was first sent to. Another server has other
///   people under the same numbers, and does not know the key. If it calls a person by the same number and user name, it may be the same
///   server under another address: a payment there is asked about, too.
/// - An outcome that cannot be recorded is recorded later, as soon as that is possible, while the desk lives. Look at
///   ``hasUnrecorded`` before you drop a desk.
/// - A cancelled caller does not stop a payment that was sent. Its outcome is recorded all the same.
public actor PaymentDesk {
    /// The payments made.
    public nonisolated let ledger: PaymentLedger
    nonisolated let base: URL
    let client: any HTTPClient
    let locks: SendingLocks?
    /// Set if machines share the ledger, whose store has a clock: then that decides, and no locks.
    let sharing: SharedSending?
    private var doors = 0
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    /// Names this desk in leases.
    let owner: UUID
    /// The payments that are being sent here.
    private(set) var underWay: Set<UUID> = []
    let endings = Bell()
    /// The outcomes of payments that are not sent here any more, and could not be recorded yet.
    var unrecorded: [UUID: Unrecorded] = [:]
    /// Admits the payments of this desk one by one to the check for earlier ones.
    private let turn = Turnstile()

    /// - Parameters:
    ///   - locks: The locks by which senders show other processes that they live; `nil` leaves only the date in their
    ///     leases.
    ///   - clock: The clock for the turns of payments and for waiting for those of other processes.
    init(
        base: URL, client: any HTTPClient, ledger: PaymentLedger, locks: SendingLocks?,
        clock: any Clock<Duration> = ContinuousClock(), owner: UUID = UUID(), now: @escaping @Sendable () -> Date
    ) {
        self.base = base
        self.client = client
        self.ledger = ledger
        sharing = ledger.store.presence.map {
            SharedSending(store: ledger.store, presence: $0, clock: clock)
        }
        self.locks = sharing == nil ? locks : nil
        self.clock = clock
        self.owner = owner
        self.now = now
    }

    deinit {
        for late in unrecorded.values { late.task.cancel() }
    }

    /// Names the server in records.
    nonisolated var server: String { Self.name(of: base) }

    /// The name of a server, however its address is spelled: the case of scheme and host, the default port, `/./` and
    /// slashes at the end do not count, and neither does a password or a fragment in it.
    static func name(of address: URL) -> String {
        var parts = URLComponents(url: address.standardized, resolvingAgainstBaseURL: true) ?? URLComponents()
        parts.scheme = parts.scheme?.lowercased()
        parts.host = parts.host?.lowercased()
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        if parts.port == (parts.scheme == "https" ? 443 : 80) { parts.port = nil }
        var text = parts.string ?? address.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Sends a payment, or sends it again with the same key.
    ///
    /// A payment that is decided is returned as it is, and nothing is sent. The key of a payment of another amount, person or card
    /// is refused.
    ///
    /// - Parameters:
    ///   - besides: the payments of this amount to this person that the user was shown, and pays besides. One that is
    ///     being sent is refused all the same.
    ///   - approved: those of them that the user was shown as made. Another one that was made since is refused again.
    /// - Returns: The payment with its outcome.
    func send(
        _ order: PaymentOrder, besides: Set<UUID> = [], approved: Set<UUID> = []
    ) async throws(PaymentError) -> PaymentRecord {
        // A lock shows by itself that a sender has died. Everywhere else only time does, and the client must keep it.
        guard locks != nil || client.asksBeforeSending else { throw .unsuitableClient }
        let shown = ShownPayments(all: besides, approved: approved)
        let isAwaited = clock.within(SendingLease.patience)
        guard underWay.insert(order.key).inserted else { throw .underWay }
        defer {
            underWay.remove(order.key)
            endings.ring()
        }
        let lock: SendingLock?
        do throws(StoreError) { lock = try await locks?.take(order.key) } catch { throw .ledger(error) }
        guard lock != nil || locks == nil else { throw .underWay }
        await recordNoted(order.key)

        let begun: PaymentRecord
        var request = HTTPRequest.transaction(base, order)
        do throws(PaymentError) {
            let maySend: @Sendable () -> Bool
            (begun, maySend) = try await begin(order, shown, isLocked: lock != nil)
            request.maySend = { isAwaited() && maySend() }
        } catch {
            // The file of a killed sender stays: it shows other processes that the sender was killed.
            await lock?.release(isSettled: await !isWrittenAsSending(order.key))
            throw error
        }
        guard begun.state == .sending, begun.lease?.owner == owner else {
            await lock?.release(isSettled: true)
            // The payment is decided by an answer to an earlier try. It need not be sent again.
            guard begun.isDecided else { throw .underWay }
            return begun
        }

        // The request has a task of its own, so that a cancelled caller does not cancel the payment.
        let outcome = await Task { [client, request] in await PaymentOutcome(of: request, by: client) }.value
        return await record(outcome, of: begun, lock)
    }

    /// Waits until one of the payments under way here has ended, but for at most a second, because other processes do
    /// not notify this one. Returns at once when the task is cancelled.
    public func nextOutcome() async {
        await endings.wait(after: endings.rings, atMost: .seconds(1), on: clock)
    }

    /// Records that this desk is sending the payment, unless it is decided, someone else sends it, or another payment
    /// might be the same one. Check and record are atomic: across processes with locks, without them in this desk.
    ///
    /// - Returns: The payment as it is recorded, and whether its request may be begun at a moment.
    private func begin(
        _ order: PaymentOrder, _ shown: ShownPayments, isLocked: Bool
    ) async throws(PaymentError) -> (PaymentRecord, maySend: @Sendable () -> Bool) {
        if !turn.tryEnter() { await turn.enter() }
        defer { turn.leave() }
        if let sharing { return try await begin(order, shown, sharing) }
        let door: SendingDoor?
        do throws(StoreError) { door = try await locks?.enter() } catch { throw .ledger(error) }
        defer { door?.close() }
        let made = try await refuseDoubt(order, shown)
        return try await write(order, after: made, isLocked: isLocked)
    }

    /// The same, atomic across machines.
    private func begin(
        _ order: PaymentOrder, _ shown: ShownPayments, _ sharing: SharedSending
    ) async throws(PaymentError) -> (PaymentRecord, maySend: @Sendable () -> Bool) {
        doors += 1
        let door: SharedDoor
        do throws(StoreError) { door = try await sharing.enter(owner, doors) } catch { throw .ledger(error) }
        let begun: PaymentRecord
        let maySend: @Sendable () -> Bool
        do throws(PaymentError) {
            let made = try await refuseDoubt(order, shown)
            (begun, maySend) = try await write(order, after: made, isLocked: false)
            let isAlone: Bool
            do throws(StoreError) { isAlone = try await door.isHeld() } catch { isAlone = false }
            if !isAlone, begun.state == .sending, begun.lease?.owner == owner {
                try await withdraw(begun)
                throw .ledger(.busy(path: "the ledger of payments"))
            }
        } catch {
            await door.close()
            throw error
        }
        await door.close()
        return (begun, maySend)
    }

    private func isWrittenAsSending(_ key: UUID) async -> Bool {
        // A ledger that cannot be read may have this state, so the answer is true.
        do throws(StoreError) { return try await ledger.record(key)?.state == .sending } catch { return true }
    }
}
