import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

/// The texts about payments with an unknown outcome.
extension PaymentScreen {
    /// Earlier payments of this amount to this contact: they are shown before another one is sent.
    func earlier(_ context: ScreenContext) -> Earlier? {
        guard case .earlier(let records) = model.phase else { return nil }
        let language = context.language
        let failed = language.text("pay.earlier.failed")
        return Earlier(
            lines: records.map { line($0, context) },
            approved: records.filter { $0.state == .approved }.map(\.id), canRetry: model.earlierToRetry != nil,
            failed: model.checkFailed ? failed : nil)
    }

    private func line(_ record: PaymentRecord, _ context: ScreenContext) -> String {
        let (amount, name, card) = (record.amount.text, record.contact.name, record.card.masked)
        let date = context.dateText(record.startedAt)
        if record.state == .sending {
            let time = context.endText(record)
            return context.language.text(
                "pay.earlier.sending", ["amount": amount, "name": name, "card": card, "time": time])
        }
        if record.state == .approved {
            return context.language.text(
                "pay.earlier.approved", ["amount": amount, "name": name, "card": card, "date": date])
        }
        guard let notFoundAt = record.notFoundAt.map(context.dateText) else {
            return context.language.text(
                "pay.earlier.unknown", ["amount": amount, "name": name, "card": card, "date": date])
        }
        return context.language.text(
            "pay.earlier.notFound",
            ["amount": amount, "name": name, "card": card, "date": date, "notFoundAt": notFoundAt])
    }

    /// The payment that was sent from this screen and not answered.
    func unknown(_ context: ScreenContext) -> Unknown? {
        guard case .unknown(let record) = model.phase else { return nil }
        let language = context.language
        let text: String
        if record.state == .sending {
            text = language.text("pay.unknown.sending", ["time": context.endText(record)])
        } else if let date = record.notFoundAt {
            let when = context.dateText(date)
            text = language.text("pay.unknown.notFound", ["when": when])
        } else if model.checkFailed {
            text = language.text("pay.unknown.checkFailed")
        } else {
            text = language.text("pay.unknown.text")
        }
        return Unknown(text: text, canGiveUp: record.state == .unknown)
    }
}
