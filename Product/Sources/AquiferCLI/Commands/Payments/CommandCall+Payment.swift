import App
import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

extension CommandCall {
    /// The payment with the given ID.
    func payment(_ desk: PaymentDesk) async throws(CommandError) -> PaymentRecord {
        let text = words[0]
        do throws(StoreError) {
            if let id = UUID(uuidString: text), let record = try await desk.ledger.record(id) { return record }
        } catch {
            guard case .unreadable(_, let reason) = error else { throw CommandError(error) }
            throw CommandError(
                status: .store,
                message: "the payment \(text) is kept and cannot be read (\(reason)); nothing was deleted or sent")
        }
        let contents: PaymentLedger.Contents
        do throws(StoreError) { contents = try await desk.ledger.contents() } catch { throw CommandError(error) }
        return try GivenID(text).only(of: contents.records, "payment", listedBy: "payments list")
    }
}

extension CommandError {
    /// The error of a payment that was not sent, could not be checked, or could not be recorded.
    init(_ error: PaymentError) {
        switch error {
        case .ledger, .notKept: self.init(status: .store, message: "\(error)")
        case .notAnswered(.cancelled): self.init(status: .interrupted, message: "interrupted")
        case .notAnswered(let reason):
            let trouble = reason.trouble?.message(in: .english) ?? "\(reason)."
            let details = if case .connectivity(let error) = reason { error.details } else { "" }
            self.init(
                status: .unknown, "it is still not known whether the payment was made. \(trouble) Check again later",
                details: details)
        case .unresolved(let earlier): self = .doubled(earlier)
        case .otherServer(let server):
            let way =
                server == Services.referencePayments
                ? "that is the reference remote: leave --remote away"
                : "name that server with --remote payments=\(server)"
            self.init(status: .usage, message: "\(error); \(way)")
        case .noCard: self.init(status: .notFound, message: "\(error)")
        case .unsuitableClient, .underWay: self.init(status: .unknown, message: "\(error)")
        case .cardExpired, .testCard: self.init(status: .usage, message: "\(error)")
        }
    }
}
