import Aquifer
import Foundation
import Payments

/// One payment as the page draws it.
@MainActor
final class PaymentScreen: Screen {
    let model: PaymentModel
    private let tab: String

    init(_ service: PaymentsService, contact: Int, tab: String) {
        model = PaymentModel(service, contact: contact)
        self.tab = tab
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        return .object([
            ("title", .string(language.pick("Pay", "Pagar"))),
            ("phase", .string(phase)),
            ("contact", model.contact.map { $0.json(tab: tab) } ?? .null),
            (
                "amount",
                .object([
                    ("digits", .string(model.amount.cents == 0 ? "" : "\(model.amount.cents)")),
                    ("text", .string(model.amount.text)),
                    ("error", .string(model.amountError?.message(in: language))),
                ])
            ),
            ("needsCard", .bool(model.needsCard)),
            ("card", model.card.map { $0.json(context, isChosen: true) } ?? .null),
            ("cards", .array(model.cards.map { $0.json(context, isChosen: $0.id == model.card?.id) })),
            (
                "code",
                .object([
                    ("length", .int(model.card?.brand?.codeLength ?? 3)), ("isValid", .bool(model.hasCode)),
                    ("error", .string(model.codeError?.message(in: language))),
                ])
            ),
            ("canPay", .bool(model.canPay)),
            ("canRetry", .bool(model.canRetry)),
            ("payLabel", .string(language.pick("Pay \(model.amount.text)", "Pagar \(model.amount.text)"))),
            ("message", .string(message(language))),
            ("receipt", receipt(context)),
            ("unknown", unknown(context)),
            ("earlier", earlier(context)),
            ("isChecking", .bool(model.isChecking)),
            ("error", error(language)),
        ])
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "amount": { model.enter(digits: intent["digits"]) }
        case "amountText": { model.enter(amount: intent["text"]) }
        case "chooseCard": intent.withID { await model.choose($0) }
        case "code": { model.enter(code: intent["value"]) }
        case "pay": pay(intent)
        case "check": { await model.check() }
        case "retry": { await model.retry() }
        case "giveUp": { await model.giveUp() }
        case "checkEarlier": { await model.checkEarlier() }
        case "payOnceMore": { await model.payOnceMore() }
        case "again": { model.again() }
        case "dismissError": { model.dismissProblem() }
        default: nil
        }
    }

    /// Pays the amount that the button showed when it was pressed, not one that is still on its way to the model.
    private func pay(_ intent: Intent) -> ScreenAction {
        { [model] in
            guard intent["digits"] == "\(model.amount.cents)" else { return }
            await model.pay()
        }
    }

    private var phase: String {
        switch model.phase {
        case .loading: "loading"
        case .missing: "missing"
        case .ready: "ready"
        case .earlier: "earlier"
        case .sending: "sending"
        case .approved: "approved"
        case .declined: "declined"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }

    private func message(_ language: Language) -> String? {
        switch model.phase {
        case .declined:
            language.pick(
                "The card was declined. No money went. Try another card.",
                "O cartão foi recusado. Nenhum dinheiro saiu. Tente com outro cartão.")
        case .failed(let record) where record.refusal != nil:
            language.pick(
                "The server refused the payment. No money went. Check the amount and the card.",
                "O servidor recusou o pedido. Nenhum dinheiro saiu. Verifique o valor e o cartão.")
        case .failed:
            language.pick(
                "The server couldn’t be reached, and nothing was sent. No money went.",
                "Não deu para falar com o servidor, e nada foi enviado. Nenhum dinheiro saiu.")
        case .missing(let error):
            error?.message(in: language) ?? language.pick("There is no such contact.", "Este contato não existe.")
        default: nil
        }
    }

    private func error(_ language: Language) -> JSONText {
        let (kind, message): (String, String)
        switch model.problem {
        case nil: return .null
        case .payment(let error): (kind, message) = ("payment", error.message(in: language))
        case .vault(let error): (kind, message) = ("vault", error.message(in: language))
        }
        return .object([("kind", .string(kind)), ("message", .string(message))])
    }

    private func receipt(_ context: ScreenContext) -> JSONText {
        guard case .approved(let record) = model.phase else { return .null }
        let date = record.bookedAt ?? record.startedAt
        return .object([
            ("number", record.number.map { .int($0) } ?? .null),
            ("date", .string(date.formatted(.iso8601))),
            ("dateText", .string(context.dateText(date))),
            ("name", .string(record.contact.name)),
            ("username", .string(record.contact.username)),
            ("masked", .string(record.card.masked)),
            ("brandName", .string(record.card.brandName(context.language))),
            ("amount", .string(record.amount.text)),
            ("total", .string(record.amount.text)),
            ("status", .string(record.state.text(context.language))),
        ])
    }
}
