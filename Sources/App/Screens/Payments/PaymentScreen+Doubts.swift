import Aquifer
import Foundation
import Payments

/// The texts about payments with an unknown outcome.
extension PaymentScreen {
    /// Earlier payments of this amount to this contact: they are shown before another one is sent.
    func earlier(_ context: ScreenContext) -> Earlier? {
        guard case .earlier(let records) = model.phase else { return nil }
        let language = context.language
        let failed = language.pick(
            "The server could not tell. Check again later.", "O servidor não soube dizer. Verifique mais tarde.")
        return Earlier(lines: records.map { line($0, context) }, failed: model.checkFailed ? failed : nil)
    }

    private func line(_ record: PaymentRecord, _ context: ScreenContext) -> String {
        let (amount, name, card) = (record.amount.text, record.contact.name, record.card.masked)
        let date = context.dateText(record.startedAt)
        if record.state == .sending {
            return context.language.pick(
                "\(amount) to \(name) with \(card) is being sent right now by another window or program.",
                "\(amount) para \(name) com \(card) está sendo enviado agora por outra janela ou programa.")
        }
        guard let notFoundAt = record.notFoundAt.map(context.dateText) else {
            return context.language.pick(
                "\(amount) to \(name) with \(card), sent on \(date): the server didn’t say what became of it. The money may have gone, or not.",
                "\(amount) para \(name) com \(card), enviado em \(date): o servidor não disse o que foi feito dele. O dinheiro pode ter saído ou não."
            )
        }
        return context.language.pick(
            "\(amount) to \(name) with \(card), sent on \(date): not made, as far as the server knew on \(notFoundAt).",
            "\(amount) para \(name) com \(card), enviado em \(date): não foi feito, até onde o servidor sabia em \(notFoundAt)."
        )
    }

    /// The payment that was sent from this screen and not answered.
    func unknown(_ context: ScreenContext) -> Unknown? {
        guard case .unknown(let record) = model.phase else { return nil }
        let language = context.language
        let text: String
        if record.state == .sending {
            text = language.pick(
                "The payment is being sent by another window or program. Check in a moment.",
                "O pagamento está sendo enviado por outra janela ou programa. Verifique em instantes.")
        } else if let date = record.notFoundAt {
            let when = context.dateText(date)
            text = language.pick(
                "The payment was not made, as far as the server knew on \(when). Send it again: with the same key it is never charged twice. Or give it up.",
                "O pagamento não foi feito, até onde o servidor sabia em \(when). Envie de novo: com a mesma chave, nunca é cobrado duas vezes. Ou desista dele."
            )
        } else if model.checkFailed {
            text = language.pick(
                "The server still can’t say whether the money went. Check again later, or send the payment again: with the same key it is never charged twice.",
                "O servidor ainda não sabe dizer se o dinheiro saiu. Verifique mais tarde ou envie de novo: com a mesma chave, nunca é cobrado duas vezes."
            )
        } else {
            text = language.pick(
                "The payment was sent, but the server didn’t say what became of it. The money may have gone, or not. Check, or send it again: with the same key it is never charged twice.",
                "O pagamento foi enviado, mas o servidor não disse o que foi feito dele. O dinheiro pode ter saído ou não. Verifique ou envie de novo: com a mesma chave, nunca é cobrado duas vezes."
            )
        }
        return Unknown(text: text, canGiveUp: record.state == .unknown)
    }
}
