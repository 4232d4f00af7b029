import Aquifer
import Foundation
import Observation

/// The screen of the payments made.
@MainActor @Observable
public final class PaymentsModel {
    /// The payments, the latest first.
    public private(set) var payments: [PaymentRecord] = []
    /// Whether they have been read.
    public private(set) var isLoaded = false
    /// Why they could not be read.
    public private(set) var error: StoreError?
    /// The payments whose outcome is being asked for.
    public private(set) var checking: Set<UUID> = []
    /// Why the remote could not be asked.
    public private(set) var checkError: LoadError?

    @ObservationIgnored private let service: PaymentsService

    /// The screen of the payments that a service made.
    public init(_ service: PaymentsService) {
        self.service = service
    }

    /// The screen is visible: reads the payments, and again whenever one that is on its way has come to its end.
    public func appear() async {
        await read()
        while !Task.isCancelled, payments.contains(where: { $0.state == .sending }) {
            await service.desk.nextOutcome()
            await read()
        }
    }

    private func read() async {
        do throws(StoreError) {
            var present: [PaymentRecord] = []
            for record in try await service.desk.ledger.records() { present.append(await service.desk.present(record)) }
            payments = present
            error = nil
        } catch {
            self.error = error
        }
        isLoaded = true
    }

    /// Asks what became of a payment that is not known of.
    public func check(_ id: UUID) async {
        guard checking.insert(id).inserted else { return }
        checkError = nil
        do throws(LoadError) { _ = try await service.desk.check(id) } catch { checkError = error }
        checking.remove(id)
        await read()
    }

    /// The customer has read what went wrong.
    public func dismissError() {
        error = nil
        checkError = nil
    }
}
