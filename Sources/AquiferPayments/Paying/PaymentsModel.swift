import Aquifer
import AquiferFoundation
import Observation

/// The screen of the payments made.
@MainActor @Observable
public final class PaymentsModel {
    /// The payments, the latest first.
    public private(set) var payments: [PaymentRecord] = []
    /// The stored payments that cannot be read. The others are shown all the same.
    public private(set) var unreadable: [PaymentLedger.Unreadable] = []
    /// True if the payments have been read.
    public private(set) var isLoaded = false
    /// The reason why the payments could not be read at all.
    public private(set) var error: StoreError?
    /// The payments that are being checked, sent again or given up.
    public private(set) var busy: Set<UUID> = []
    /// The error of the last check, retry or give-up.
    public private(set) var problem: Problem?
    /// The last payment whose check, retry or give-up has ended.
    public private(set) var ended: Ended?

    /// The end of a check, a retry or a give-up.
    public struct Ended: Sendable, Hashable {
        /// The payment.
        public let id: UUID
        /// The number of those that have ended. It changes with each.
        public let count: Int
    }

    /// An error with one payment.
    public enum Problem: Sendable, Hashable {
        /// The remote could not be asked.
        case check(LoadError)
        /// The payment was not sent, or the change was not stored.
        case payment(PaymentError)
        /// The cards could not be read.
        case vault(VaultError)
        /// The code does not fit the card.
        case code(SecurityCodeError)
    }

    @ObservationIgnored private let service: PaymentsService
    /// The payments are followed from the first appearance on, until the model is released.
    @ObservationIgnored private var following: ChangeFollower?

    /// The screen of the payments that a service made.
    public init(_ service: PaymentsService) {
        self.service = service
    }

    /// Reads the payments when the screen appears, and again whenever a payment that is being sent may have ended. From then
    /// on it shows what other screens and processes record.
    public func appear() async {
        follow()
        await read()
        while !Task.isCancelled, payments.contains(where: { $0.state == .sending }) {
            await service.desk.nextOutcome()
            await read()
        }
    }

    /// Asks for the outcome of an unknown payment.
    public func check(_ id: UUID) async {
        await act(id) { [service] () async throws(Failure) in
            do throws(PaymentError) { _ = try await service.check(id) } catch { throw Failure(error) }
        }
    }

    /// The payments of the same amount to the same person that were made after this one was begun, the latest first.
    public func madeSince(_ payment: PaymentRecord) -> [PaymentRecord] {
        payments.filter { $0.isOneMadeSince(payment) }
    }

    /// Sends an unknown or failed payment again, with the same key and the same card.
    ///
    /// - Parameters:
    ///   - id: The payment.
    ///   - code: The card's security code as typed. It is not stored.
    ///   - besides: The payments of ``madeSince(_:)`` that the user was shown, and pays besides.
    public func retry(_ id: UUID, code: String, besides: Set<UUID> = []) async {
        guard let record = payments.first(where: { $0.id == id }), record.state.canBeSentAgain else { return }
        await act(id) { [service] () async throws(Failure) in
            let card: Card?
            do throws(VaultError) { card = try await service.vault.card(record.card.id) } catch {
                throw Failure(.vault(error))
            }
            guard let card else { throw Failure(.payment(.noCard)) }
            let parsed: SecurityCode
            do throws(SecurityCodeError) { parsed = try SecurityCode(code, for: card.number.brand) } catch {
                throw Failure(.code(error))
            }
            do throws(PaymentError) {
                _ = try await service.payAgain(
                    record, with: card, code: parsed, besides: besides, approved: besides)
            } catch { throw Failure(.payment(error)) }
        }
    }

    /// Gives up on an unknown payment.
    public func giveUp(_ id: UUID) async {
        await act(id) { [service] () async throws(Failure) in
            do throws(PaymentError) { _ = try await service.desk.giveUp(id) } catch { throw Failure(.payment(error)) }
        }
    }

    /// Clears the error after the user has read it.
    public func dismissError() {
        error = nil
        problem = nil
    }

    private struct Failure: Error {
        let problem: Problem

        init(_ problem: Problem) { self.problem = problem }

        init(_ error: PaymentError) {
            if case .notAnswered(let error) = error { problem = .check(error) } else { problem = .payment(error) }
        }
    }

    private func act(_ id: UUID, _ work: () async throws(Failure) -> Void) async {
        guard busy.insert(id).inserted else { return }
        problem = nil
        do throws(Failure) { try await work() } catch { problem = error.problem }
        busy.remove(id)
        await read()
        ended = Ended(id: id, count: (ended?.count ?? 0) + 1)
    }

    private func follow() {
        guard following == nil else { return }
        following = service.desk.ledger.store.changes.follow(where: PaymentLedger.mayConcern) { [weak self] in
            await self?.read()
        }
    }

    private func read() async {
        do throws(StoreError) {
            let contents = try await service.desk.ledger.contents()
            var present: [PaymentRecord] = []
            for record in contents.records { present.append(await service.desk.present(record)) }
            payments = present
            unreadable = contents.unreadable
            error = nil
        } catch {
            self.error = error
        }
        isLoaded = true
    }
}

extension PaymentRecord.State {
    /// True if a payment in this state can be sent again with its key.
    public var canBeSentAgain: Bool {
        switch self {
        case .unknown, .failed, .abandoned: true
        case .sending, .approved, .declined: false
        }
    }
}
