import Aquifer
import AquiferFoundation
import Observation

/// The payments at a glance: how many have an unknown outcome, and who was paid last. The outcomes are asked for by themselves.
///
/// A check only asks the server. Nothing is sent again, and nothing is given up.
@MainActor @Observable
public final class PaymentsGlance {
    /// The payments with an unknown outcome that this server can be asked about, the latest first.
    public private(set) var unresolved: [PaymentRecord] = []
    /// The numbers of the contacts who were paid last, the latest first, each once. A payment that was declined or not sent
    /// paid nobody.
    public private(set) var recent: [Contact.ID] = []
    /// The payment whose outcome ``check()`` has found last.
    public private(set) var found: PaymentRecord?

    /// The pause before the first check, and after one that found something.
    static let firstPause = Duration.seconds(20)
    /// The longest pause between two checks. Each that finds nothing doubles the pause.
    static let longestPause = Duration.seconds(640)

    /// The most contacts in ``recent``.
    static let mostRecent = 8

    @ObservationIgnored private let service: PaymentsService
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private var following: ChangeFollower?
    @ObservationIgnored private var isChecking = false

    /// The payments of a service. `clock` measures the pauses between checks.
    public init(_ service: PaymentsService, clock: any Clock<Duration> = ContinuousClock()) {
        self.service = service
        self.clock = clock
    }

    /// Reads them, and from then on shows what screens and other processes record.
    public func appear() async {
        if following == nil {
            following = service.desk.ledger.store.changes.follow(where: PaymentLedger.mayConcern) { [weak self] in
                await self?.read()
            }
        }
        await read()
    }

    /// Asks the server for the outcome of each of them, one after another, unless that is being done.
    public func check() async {
        guard !isChecking else { return }
        isChecking = true
        defer { isChecking = false }
        for payment in unresolved {
            // A server that cannot tell now is asked again later.
            guard !Task.isCancelled, let record = try? await service.check(payment.id) else { continue }
            if record.isDecided { found = record }
        }
        await read()
    }

    /// Checks them after a pause, again and again, until the task is cancelled.
    public func run() async {
        await appear()
        var pause = Self.firstPause
        while true {
            // Sleeping throws only when the task was cancelled.
            do { try await clock.sleep(for: pause) } catch { return }
            let before = unresolved.count
            await check()
            pause =
                unresolved.isEmpty || unresolved.count < before ? Self.firstPause : min(pause * 2, Self.longestPause)
        }
    }

    private func read() async {
        // A ledger that cannot be read is told by the screen of the payments. Here the last count stays.
        guard let records = try? await service.desk.ledger.contents().records else { return }
        var doubts: [PaymentRecord] = []
        var paid: [Contact.ID] = []
        for record in records {
            let present = await service.desk.present(record)
            if present.state == .unknown, service.desk.isOwn(present) { doubts.append(present) }
            guard present.state != .declined, present.state != .failed, !paid.contains(record.contact.id) else {
                continue
            }
            if paid.count < Self.mostRecent { paid.append(record.contact.id) }
        }
        if doubts != unresolved { unresolved = doubts }
        if paid != recent { recent = paid }
    }
}
