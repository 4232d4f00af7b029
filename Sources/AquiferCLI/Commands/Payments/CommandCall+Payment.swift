import App
import Aquifer
import Foundation
import Payments

extension CommandCall {
    /// The payment with the given ID.
    func payment(_ desk: PaymentDesk) async throws(CommandError) -> PaymentRecord {
        let text = words[0]
        guard let id = UUID(uuidString: text) else { throw .noPayment(text) }
        do throws(StoreError) {
            if let record = try await desk.ledger.record(id) { return record }
        } catch {
            guard case .unreadable(_, let reason) = error else { throw CommandError(error) }
            throw CommandError(
                status: .store,
                message: "the payment \(text) is kept and cannot be read (\(reason)); nothing was deleted or sent")
        }
        throw .noPayment(text)
    }
}

extension CommandError {
    fileprivate static func noPayment(_ text: String) -> CommandError {
        CommandError(
            status: .notFound, message: "\"\(text)\" is not the ID of a payment; aquifer payments list shows them")
    }

    /// The error of a payment that was not sent, could not be checked, or could not be recorded.
    init(_ error: PaymentError) {
        switch error {
        case .ledger, .notKept: self.init(status: .store, message: "\(error)")
        case .notAnswered(let reason):
            self.init(
                status: reason == .cancelled ? .interrupted : .unknown, message: "\(error); check again later")
        case .unresolved(let earlier): self = .doubled(earlier)
        case .otherServer(let server):
            let way =
                server == Services.referencePayments
                ? "that is the reference remote: leave --remote away"
                : "name that server with --remote payments=\(server)"
            self.init(status: .usage, message: "\(error); \(way)")
        case .noCard: self.init(status: .notFound, message: "\(error)")
        case .underWay: self.init(status: .unknown, message: "\(error)")
        case .cardExpired, .testCard: self.init(status: .usage, message: "\(error)")
        }
    }
}
