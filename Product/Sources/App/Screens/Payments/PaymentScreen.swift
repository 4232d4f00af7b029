import Aquifer
import AquiferPayments
import AquiferWording
import Foundation
import Observation

/// One payment as its page draws it.
@MainActor
final class PaymentScreen: Screen {
    static let name = "payment"
    static let subject: String? = "contact"

    let model: PaymentModel
    private let tab: String
    private let progress = PaymentProgress()

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
                edit: progress.edit, error: model.amountError?.message(in: language),
                problem: model.amountProblem?.message(in: language)),
            needsCard: model.needsCard, card: model.card.map { CardLine($0, isChosen: true, context) },
            cardProblem: model.cardProblem?.message(in: language),
            cards: model.cards.map { CardLine($0, isChosen: $0.id == model.card?.id, context) },
            code: Code(
                length: model.card?.brand?.codeLength ?? 3,
                problem: model.codeProblem?.message(in: language)),
            canPay: model.canPay, canRetry: model.canRetry, isChecking: model.isChecking, ended: progress.ended,
            over: progress.over, shown: shown,
            payLabel: language.text("pay.action", ["amount": model.amount.text]),
            message: message(language), receipt: receipt(context), unknown: unknown(context),
            earlier: earlier(context), error: error(language))
    }

    func refresh() async { await model.appear() }

    func connectionRestored() async {
        if case .missing = model.phase { await model.appear() }
    }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, progress) = (model, progress)
        switch intent {
        case .appear: return { await model.appear() }
        case .amount:
            let digits = try fields.text("digits")
            let edit = fields["edit"] ?? ""
            return {
                model.enter(digits: digits)
                if model.phase == .ready { progress.edit = edit }
            }
        case .amountText:
            let text = try fields.text("text")
            let (digits, edit) = (fields["digits"], fields["edit"] ?? "")
            return {
                // What was typed before the text was pasted may not have come by itself.
                if let digits { model.enter(digits: digits) }
                model.enter(amount: text)
                if model.phase == .ready { progress.edit = edit }
            }
        case .chooseCard:
            let id = try fields.id()
            return { await model.choose(id) }
        case .code:
            let code = try fields.text("value")
            return { model.enter(code: code) }
        case .pay:
            let (digits, attempt) = (try fields.text("digits"), try fields.id(ifGiven: "attempt"))
            return counted(pay(digits, with: fields["card"], attempt, doubts: fields.ids("doubts")))
        case .resume:
            let text = try fields.text("attempt")
            let attempt: UUID = try fields.value("attempt") { UUID(uuidString: $0) }
            return { if await model.resume(attempt) == .abandoned { progress.over = text } }
        case .check: return counted { await model.check() }
        case .retry: return counted { await model.retry() }
        case .giveUp: return counted { await model.giveUp() }
        case .checkEarlier: return counted { await model.checkEarlier() }
        case .retryEarlier, .payOnceMore:
            let approved = fields["approved"].map { _ in fields.ids("approved") }
            if intent == .retryEarlier { return counted { await model.retryEarlier(approved: approved) } }
            return counted { await model.payOnceMore(approved: approved) }
        case .again: return { model.again() }
        case .dismissError: return { model.dismissProblem() }
        }
    }

    /// An action that the page waits for: its end is counted in the state.
    private func counted(_ action: @escaping ScreenAction) -> ScreenAction {
        { [progress] in
            await action()
            progress.ended += 1
        }
    }

    /// Pays the amount that the button showed when it was pressed, with the card that was shown, not with one of those that is still
    /// on its way to the model or to the page.
    private func pay(_ digits: String, with card: String?, _ attempt: UUID?, doubts: Set<UUID>) -> ScreenAction {
        { [model] in
            guard digits == "\(model.amount.cents)" else { return }
            if let card, UUID(uuidString: card) != model.card?.id { return }
            await model.pay(attempt: attempt, doubts: doubts)
        }
    }

    private var phase: Phase {
        switch model.phase {
        case .loading: .loading
        case .missing(nil): .missing
        // It may exist: only the contacts could not be loaded.
        case .missing: .unloaded
        case .ready: .ready
        case .earlier: .earlier
        case .sending: .sending
        case .approved: .approved
        case .declined: .declined
        case .failed: .failed
        case .unknown: .unknown
        }
    }

    private var shown: String? {
        switch model.phase {
        case .approved(let record), .declined(let record), .failed(let record), .unknown(let record):
            record.id.uuidString.lowercased()
        default: nil
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
        return context.receipt(of: record)
    }
}

/// The progress of what a page has asked the screen of a payment for.
@MainActor @Observable
private final class PaymentProgress {
    /// The number of requests that have ended.
    var ended = 0
    /// The mark of the last edit of the amount.
    var edit = ""
    /// The attempt that the user has given up, as the page has named it.
    var over: String?
}
