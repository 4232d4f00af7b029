import Aquifer
import Foundation
import Payments

/// The payments made as the page draws them.
@MainActor
final class PaymentsScreen: Screen {
    private let model: PaymentsModel

    init(_ service: PaymentsService) {
        model = PaymentsModel(service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        .object([
            ("title", .string(context.language.pick("Payments", "Pagamentos"))),
            ("payments", .array(model.payments.map { payment($0, context) })),
            ("isEmpty", .bool(isEmpty)),
            ("isLoading", .bool(!model.isLoaded)),
            ("missing", .string(missing(context.language))),
            ("error", error(context)),
        ])
    }

    private var isEmpty: Bool {
        model.isLoaded && model.payments.isEmpty && model.unreadable.isEmpty && model.error == nil
    }

    /// The message about payments that the list does not show.
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

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "check": intent.withID { await model.check($0) }
        case "retry": intent.withID { await model.retry($0, code: intent["code"]) }
        case "giveUp": intent.withID { await model.giveUp($0) }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func payment(_ record: PaymentRecord, _ context: ScreenContext) -> JSONText {
        .object([
            ("id", .string(record.id.uuidString)),
            ("state", .string(record.state.rawValue)),
            ("stateText", .string(record.state.text(context.language))),
            ("name", .string(record.contact.name)),
            ("username", .string(record.contact.username)),
            ("amount", .string(record.amount.text)),
            ("dateText", .string(context.dateText(record.bookedAt ?? record.startedAt))),
            ("masked", .string(record.card.masked)),
            ("brandName", .string(record.card.brandName(context.language))),
            ("number", record.number.map { .int($0) } ?? .null),
            ("note", .string(record.note(context))),
            ("codeLength", .int(record.card.brand?.codeLength ?? 3)),
            ("canCheck", .bool(record.state == .unknown || record.state == .abandoned)),
            ("canRetry", .bool(record.state.canBeSentAgain)),
            ("canGiveUp", .bool(record.state == .unknown)),
            ("isBusy", .bool(model.busy.contains(record.id))),
        ])
    }

    private func error(_ context: ScreenContext) -> JSONText {
        let language = context.language
        switch model.problem {
        case .check(let error): return context.error(error)
        case .vault(let error): return context.error(error)
        case .payment(.noCard): return failure("payment", lostCard(language))
        case .payment(let error): return failure("payment", error.message(in: language))
        case .code(let error): return failure("code", error.message(in: language))
        case nil: break
        }
        guard let error = model.error else { return .null }
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

    private func failure(_ kind: String, _ message: String) -> JSONText {
        .object([("kind", .string(kind)), ("message", .string(message))])
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
