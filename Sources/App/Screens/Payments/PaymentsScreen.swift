import Aquifer
import Foundation
import Payments

/// The payments made as their page draws them.
@MainActor
final class PaymentsScreen: Screen {
    static let name = "payments"

    struct State: ScreenState {
        let title: String
        let payments: [Payment]
        let isEmpty: Bool
        /// The message about payments that the list does not show.
        @OrNull var missing: String?
        @OrNull var error: ScreenError?
    }

    struct Payment: Codable, Sendable {
        let id: UUID
        let state: PaymentRecord.State
        let stateText: String
        let name: String
        let username: String
        let amount: String
        let dateText: String
        let masked: String
        let brandName: String
        @OrNull var number: Int?
        @OrNull var note: String?
        let codeLength: Int
        let canCheck: Bool
        let canRetry: Bool
        let canGiveUp: Bool
        let isBusy: Bool
    }

    enum Intent: String, ScreenIntent { case appear, check, retry, giveUp, dismissError }

    private let model: PaymentsModel

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = PaymentsModel(hub.services.payments)
    }

    func state(_ context: ScreenContext) -> State {
        State(
            title: context.language.pick("Payments", "Pagamentos"),
            payments: model.payments.map { payment($0, context) }, isEmpty: isEmpty,
            missing: missing(context.language), error: error(context))
    }

    private var isEmpty: Bool {
        model.isLoaded && model.payments.isEmpty && model.unreadable.isEmpty && model.error == nil
    }

    private func missing(_ language: Language) -> String? {
        let count = model.unreadable.count
        guard count > 0 else { return nil }
        return count == 1
            ? language.pick(
                "One more payment is kept and can’t be read: its record is damaged. Nothing was deleted.",
                "Há mais um pagamento guardado que não dá para ler: o registro está danificado. Nada foi apagado.")
            : language.pick(
                "\(count) more payments are kept and can’t be read: their records are damaged. Nothing was deleted.",
                "Há mais \(count) pagamentos guardados que não dá para ler: os registros estão danificados. Nada foi apagado."
            )
    }

    func refresh() async { await model.appear() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return { await model.appear() }
        case .check:
            let id = try fields.id()
            return { await model.check(id) }
        case .retry:
            let id = try fields.id()
            return { await model.retry(id, code: fields["code"] ?? "") }
        case .giveUp:
            let id = try fields.id()
            return { await model.giveUp(id) }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func payment(_ record: PaymentRecord, _ context: ScreenContext) -> Payment {
        Payment(
            id: record.id, state: record.state, stateText: record.state.text(context.language),
            name: record.contact.name, username: record.contact.username, amount: record.amount.text,
            dateText: context.dateText(record.bookedAt ?? record.startedAt), masked: record.card.masked,
            brandName: record.card.brandName(context.language), number: record.number, note: record.note(context),
            codeLength: record.card.brand?.codeLength ?? 3,
            canCheck: record.state == .unknown || record.state == .abandoned, canRetry: record.state.canBeSentAgain,
            canGiveUp: record.state == .unknown, isBusy: model.busy.contains(record.id))
    }

    private func error(_ context: ScreenContext) -> ScreenError? {
        let language = context.language
        switch model.problem {
        case .check(let error): return context.error(error)
        case .vault(let error): return context.error(error)
        case .payment(.noCard): return failure("payment", lostCard(language))
        case .payment(let error): return failure("payment", error.message(in: language))
        case .code(let error): return failure("code", error.message(in: language))
        case nil: break
        }
        guard let error = model.error else { return nil }
        if case .lost = error {
            return failure(
                "store",
                language.pick(
                    "The payments made are gone from this computer: their file is missing or empty. Put the data folder"
                        + " back from a backup. Your bank’s statement shows the payments.",
                    "Os pagamentos feitos sumiram deste computador: o arquivo deles falta ou está vazio. Restaure a pasta"
                        + " de dados de um backup. O extrato do seu banco mostra os pagamentos."))
        }
        let message = language.pick(
            "The payments made can’t be read. Look at the data folder before you pay anything again.",
            "Não deu para ler os pagamentos feitos. Verifique a pasta de dados antes de pagar algo de novo.")
        return failure("store", message)
    }

    private func failure(_ kind: String, _ message: String) -> ScreenError {
        ScreenError(kind: kind, message: message)
    }

    /// Another card would make another payment of it.
    private func lostCard(_ language: Language) -> String {
        language.pick(
            "The card of this payment isn’t kept any more, and with another one it would be another payment. Check it, or give it up.",
            "O cartão deste pagamento não está mais guardado, e com outro seria outro pagamento. Verifique ou desista dele."
        )
    }
}

extension PaymentRecord {
    /// The message for the user about a payment that did not succeed.
    @MainActor
    func note(_ context: ScreenContext) -> String? {
        let language = context.language
        switch state {
        case .approved, .declined: return nil
        case .sending:
            return language.pick("It is being sent right now.", "Está sendo enviado agora.")
        case .unknown:
            guard let notFoundAt else {
                return language.pick(
                    "The server didn’t say what became of it. The money may have gone, or not. Check, or send it again: it is never charged twice.",
                    "O servidor não disse o que foi feito dele. O dinheiro pode ter saído ou não. Verifique ou envie de novo: nunca é cobrado duas vezes."
                )
            }
            let date = context.dateText(notFoundAt)
            return language.pick(
                "Not made, as far as the server knew on \(date). Send it again (it is never charged twice), or give it up.",
                "Não foi feito, até onde o servidor sabia em \(date). Envie de novo (nunca é cobrado duas vezes) ou desista."
            )
        case .failed where refusal != nil:
            return language.pick(
                "The server refused it. No money went.", "O servidor recusou o pedido. Nenhum dinheiro saiu.")
        case .failed:
            return language.pick(
                "It was never sent. No money went.", "Nunca foi enviado. Nenhum dinheiro saiu.")
        case .abandoned:
            return language.pick(
                "You gave it up. Whether the money went was not known; a check can still tell.",
                "Você desistiu dele. Não se sabia se o dinheiro saiu; ainda dá para verificar.")
        }
    }
}

extension PaymentRecord.State {
    /// The state in words.
    public func text(_ language: Language) -> String {
        switch self {
        case .sending: language.pick("On its way", "A caminho")
        case .approved: language.pick("Approved", "Aprovada")
        case .declined: language.pick("Declined", "Recusada")
        case .unknown: language.pick("Not known", "Não se sabe")
        case .failed: language.pick("Not made", "Não realizada")
        case .abandoned: language.pick("Given up", "Abandonada")
        }
    }
}

extension ScreenContext {
    /// A moment in words, in the machine's time zone.
    func dateText(_ date: Date) -> String {
        date.formatted(Date.FormatStyle(date: .long, time: .shortened, locale: language.locale))
    }
}
