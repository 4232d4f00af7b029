import AquiferPayments
import AquiferTesting

/// What a user wants to pay, once; no two wishes have the same amount. It knows what the user was told of it.
final class Wish: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let cents: Int
    /// The process that makes a new payment for it now, and the number of its start.
    var payer: (process: SimulatedProcess, start: Int)?
    /// The last word about each key.
    private(set) var told: [String: PaymentRecord.State] = [:]
    private(set) var tries = 0
    /// The number of looks at it while its outcome was unknown.
    private(set) var looks = 0
    var isOver = false
    /// The keys whose outcome the ledger had when it was told.
    private var kept: Set<String> = []

    init(cents: Int) { self.cents = cents }

    /// True if no living process makes a new payment for it.
    var isFree: Bool {
        guard let (process, start) = payer else { return true }
        return !process.isRunning || process.starts != start
    }

    func tell(_ record: PaymentRecord, by world: Simulation) {
        guard world.callerIsAlive else { return }
        world.note("\(cents) cents: \(record.state.rawValue) (\(record.id.uuidString.prefix(8)))")
        let before = told[record.id.uuidString]
        let wasDecided = before == .approved || before == .declined
        // An outcome that could not be written down is true, and not known to others.
        if wasDecided, record.state == .unknown, !kept.contains(record.id.uuidString) { return }
        world.expect(
            !wasDecided || before == record.state,
            "a payment of \(cents) cents was \(before?.rawValue ?? ""), and is \(record.state.rawValue)")
        // A window may have looked before the wish was over, and says what it saw. Nobody asks for that payment again.
        if isOver, record.state == .unknown { return }
        if before != .failed, record.state == .failed { tries += 1 }
        told[record.id.uuidString] = record.state
        if record.state == .unknown { looks += 1 }
        if record.isDecided || record.state == .abandoned || tries >= 2 { isOver = true }
    }
}

extension Wish {
    /// Tells what the list says, or the outcome of a request, and looks whether it was written down.
    func tell(
        _ record: PaymentRecord, by world: Simulation, kept ledger: PaymentLedger, isListed: Bool = false
    ) async {
        // A window that has waited for its own answer, and cannot read the ledger then, does not know what the other one
        // has learned meanwhile.
        if isOver, record.state == .unknown, !isListed { return }
        tell(record, by: world)
        guard record.isDecided else { return }
        // A ledger that cannot be read now tells nothing.
        if let written = try? await ledger.record(record.id), written.isDecided, world.callerIsAlive {
            kept.insert(record.id.uuidString)
        }
    }
}

/// Compares what the user was told with what the bank has booked: no payment twice, none told as unmade that was booked,
/// none told as made that was not.
enum PaymentsJudge {
    static func compare(_ wishes: [Wish], with bank: Bank, in world: Simulation) {
        for wish in wishes {
            let booked = bank.bookings.values.filter { $0.cents == wish.cents && $0.isApproved }
            let before = bank.forgotten.filter { $0.cents == wish.cents && $0.isApproved }
            world.expect(booked.count + before.count <= 1, "\(wish.cents) cents were paid twice")
            for (key, state) in wish.told.sorted(by: { $0.key < $1.key }) {
                let booking = bank.bookings[key]
                switch state {
                case .approved:
                    world.expect(
                        booking?.isApproved == true || !before.isEmpty,
                        "\(wish.cents) cents were told as paid, and are not booked")
                case .declined, .failed:
                    world.expect(
                        booking?.isApproved != true, "\(wish.cents) cents were told as not paid, and are booked")
                case .abandoned: continue
                case .sending, .unknown:
                    // A payment is sent once it is written down for good. Somebody may have seen it a moment earlier,
                    // and then a loss of power took it away: it was never sent.
                    world.expect(!bank.asked.contains(key), "\(wish.cents) cents are \(state.rawValue) at the end")
                }
            }
        }
    }
}
