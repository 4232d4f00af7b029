import Aquifer
import AquiferWording
import Foundation
import Payments

/// One payment as its page draws it.
@MainActor
final class PaymentScreen: Screen {
    static let name = "payment"
    static let subject: String? = "contact"

    let model: PaymentModel
    private let tab: String

    init?(_ address: ScreenAddress, in hub: ScreenHub) {
        guard let contact = Int(address.subject) else { return nil }
        model = PaymentModel(hub.services.payments, contact: contact)
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        return State(
            title: language.text("pay.screen"), phase: phase,
            contact: model.contact.map { ContactLine($0, tab: tab) },
            amount: Amount(
                digits: model.amount.cents == 0 ? "" : "\(model.amount.cents)", text: model.amount.text,
                error: model.amountError?.message(in: language)),
            needsCard: model.needsCard, card: model.card.map { CardLine($0, isChosen: true, context) },
            cards: model.cards.map { CardLine($0, isChosen: $0.id == model.card?.id, context) },
            code: Code(
                length: model.card?.brand?.codeLength ?? 3,
                error: model.codeError?.message(in: language)),
            canPay: model.canPay, canRetry: model.canRetry,
            payLabel: language.text("pay.action", ["amount": model.amount.text]),
            message: message(language), receipt: receipt(context), unknown: unknown(context),
            earlier: earlier(context), error: error(language))
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return { await model.appear() }
        case .amount:
            let digits = try fields.text("digits")
            return { model.enter(digits: digits) }
        case .amountText:
            let text = try fields.text("text")
            return { model.enter(amount: text) }
        case .chooseCard:
            let id = try fields.id()
            return { await model.choose(id) }
        case .code:
            let code = try fields.text("value")
            return { model.enter(code: code) }
        case .pay: return pay(try fields.text("digits"))
        case .check: return { await model.check() }
        case .retry: return { await model.retry() }
        case .giveUp: return { await model.giveUp() }
        case .checkEarlier: return { await model.checkEarlier() }
        case .payOnceMore: return { await model.payOnceMore() }
        case .again: return { model.again() }
        case .dismissError: return { model.dismissProblem() }
        }
    }

    /// Pays the amount that the button showed when it was pressed, not one that is still on its way to the model.
    private func pay(_ digits: String) -> ScreenAction {
        { [model] in
            guard digits == "\(model.amount.cents)" else { return }
            await model.pay()
        }
    }

    private var phase: Phase {
        switch model.phase {
        case .loading: .loading
        case .missing: .missing
        case .ready: .ready
        case .earlier: .earlier
        case .sending: .sending
        case .approved: .approved
        case .declined: .declined
        case .failed: .failed
        case .unknown: .unknown
        }
    }

    private func message(_ language: Language) -> String? {
        switch model.phase {
        case .declined: language.text("pay.declined")
        case .failed(let record) where record.refusal != nil: language.text("pay.refused")
        case .failed: language.text("pay.unreached")
        case .missing(let error):
            error?.message(in: language) ?? language.text("pay.missing")
        default: nil
        }
    }

    private func error(_ language: Language) -> ScreenError? {
        switch model.problem {
        case nil: nil
        case .payment(let error): ScreenError(kind: "payment", message: error.message(in: language))
        case .vault(let error): ScreenError(kind: "vault", message: error.message(in: language))
        }
    }

    private func receipt(_ context: ScreenContext) -> Receipt? {
        guard case .approved(let record) = model.phase else { return nil }
        let date = record.bookedAt ?? record.startedAt
        return Receipt(
            number: record.number, date: date.formatted(.iso8601), dateText: context.dateText(date),
            name: record.contact.name, username: record.contact.username, masked: record.card.masked,
            brandName: record.card.brandName(context.language), amount: record.amount.text, total: record.amount.text,
            status: record.state.text(context.language))
    }
}
