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
            ("isEmpty", .bool(model.isLoaded && model.payments.isEmpty && model.error == nil)),
            ("isLoading", .bool(!model.isLoaded)),
            ("error", error(context)),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "check": intent.withID { await model.check($0) }
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
            ("isChecking", .bool(model.checking.contains(record.id))),
        ])
    }

    private func error(_ context: ScreenContext) -> JSONText {
        if let error = model.checkError { return context.error(error) }
        guard model.error != nil else { return .null }
        let message = context.language.pick(
            "The payments made can’t be read. Nothing was lost; look at the data folder.",
            "Não deu para ler os pagamentos feitos. Nada se perdeu; verifique a pasta de dados.")
        return .object([("kind", .string("store")), ("message", .string(message))])
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
        case .failed: language.pick("Not sent", "Não enviada")
        }
    }
}

extension ScreenContext {
    /// A moment in words, in the machine's time zone.
    func dateText(_ date: Date) -> String {
        date.formatted(Date.FormatStyle(date: .long, time: .shortened, locale: language.locale))
    }
}
