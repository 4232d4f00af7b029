import Aquifer
import AquiferPayments
import AquiferWording
import Foundation

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
        /// The last payment that something was done with.
        @OrNull var ended: Ended?
        @OrNull var error: ScreenError?
    }

    /// A payment whose check, retry or give-up has ended. The count changes with each.
    struct Ended: Codable, Sendable {
        let id: UUID
        let count: Int
    }

    struct Payment: Codable, Sendable {
        let id: UUID
        let state: PaymentRecord.State
        let stateText: String
        let name: String
        let username: String
        let amount: String
        /// The day in words. Payments of one day follow each other.
        let day: String
        let timeText: String
        let masked: String
        let brandName: String
        @OrNull var number: Int?
        @OrNull var note: String?
        /// The receipt of an approved payment.
        @OrNull var receipt: PaymentScreen.Receipt?
        let codeLength: Int
        let canCheck: Bool
        let canRetry: Bool
        let canGiveUp: Bool
        let isBusy: Bool
        /// The payments like this one that were made since.
        let madeSince: [UUID]
        /// The warning about the last of them.
        @OrNull var madeSinceText: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, check, retry, giveUp, dismissError

        var fields: [String] {
            switch self {
            case .check, .giveUp: ["id"]
            case .retry: ["id", "code?", "besides?"]
            default: []
            }
        }
    }

    private let model: PaymentsModel

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = PaymentsModel(hub.services.payments)
    }

    func state(_ context: ScreenContext) -> State {
        State(
            title: context.language.text("payments.title"),
            payments: model.payments.map { payment($0, context) }, isEmpty: isEmpty,
            missing: missing(context.language),
            ended: model.ended.map { Ended(id: $0.id, count: $0.count) }, error: error(context))
    }

    private var isEmpty: Bool {
        model.isLoaded && model.payments.isEmpty && model.unreadable.isEmpty && model.error == nil
    }

    private func missing(_ language: Language) -> String? {
        let count = model.unreadable.count
        return count > 0 ? language.text("payments.damaged", count: count) : nil
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
            return { await model.retry(id, code: fields["code"] ?? "", besides: fields.ids("besides")) }
        case .giveUp:
            let id = try fields.id()
            return { await model.giveUp(id) }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func payment(_ record: PaymentRecord, _ context: ScreenContext) -> Payment {
        let made = record.state.canBeSentAgain ? model.madeSince(record) : []
        let date = record.date
        return Payment(
            id: record.id, state: record.state, stateText: record.state.text(context.language),
            name: record.contact.name, username: record.contact.username, amount: record.amount.text,
            day: context.dayText(date),
            timeText: context.timeText(date), masked: record.card.masked,
            brandName: record.card.brandName(context.language), number: record.number, note: record.note(context),
            receipt: record.state == .approved ? context.receipt(of: record) : nil,
            codeLength: record.card.brand?.codeLength ?? 3,
            canCheck: record.state == .unknown || record.state == .abandoned, canRetry: record.state.canBeSentAgain,
            canGiveUp: record.state == .unknown, isBusy: model.busy.contains(record.id),
            madeSince: made.map(\.id),
            madeSinceText: made.first.map {
                context.language.text(
                    "payments.madeSince",
                    ["amount": $0.amount.text, "date": context.dateText($0.date)])
            })
    }

    private func error(_ context: ScreenContext) -> ScreenError? {
        let language = context.language
        switch model.problem {
        case .check(let error):
            return ScreenError(kind: error.kind, message: PaymentError.notAnswered(error).message(in: language))
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
                language.text("payments.lost"))
        }
        let message = language.text("payments.unreadable")
        return failure("store", message)
    }

    private func failure(_ kind: String, _ message: String) -> ScreenError {
        ScreenError(kind: kind, message: message)
    }

    /// Another card would make another payment of it.
    private func lostCard(_ language: Language) -> String {
        language.text("payments.noCard")
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
            return language.text("payments.why.sending", ["time": context.endText(self)])
        case .unknown:
            guard let notFoundAt else {
                return language.text("payments.why.unknown")
            }
            let date = context.dateText(notFoundAt)
            return language.text("payments.why.notFound", ["date": date])
        case .failed where refusal != nil:
            return language.text("payments.why.refused")
        case .failed:
            return language.text("payments.why.notSent")
        case .abandoned:
            return language.text("payments.why.abandoned")
        }
    }
}

@MainActor
extension ScreenContext {
    /// The receipt of an approved payment.
    func receipt(of record: PaymentRecord) -> PaymentScreen.Receipt {
        let date = record.date
        return PaymentScreen.Receipt(
            number: record.number, date: date.formatted(.iso8601), dateText: dateText(date),
            name: record.contact.name, username: record.contact.username, masked: record.card.masked,
            brandName: record.card.brandName(language),
            testLabel: record.card.isTestCard ? TestCard.label(language) : nil, amount: record.amount.text,
            total: record.amount.text, status: record.state.text(language))
    }
}

extension ScreenContext {
    /// The day of a moment in words, in the machine's time zone: "Today", "Yesterday", or its date.
    func dayText(_ date: Date) -> String {
        let calendar = Calendar.current
        if calendar.isDate(date, inSameDayAs: now) { return language.text("time.today") }
        let yesterday = calendar.date(byAdding: .day, value: -1, to: now)
        if let yesterday, calendar.isDate(date, inSameDayAs: yesterday) { return language.text("time.yesterday") }
        return date.formatted(Date.FormatStyle(date: .long, time: .omitted, locale: language.locale))
    }

    /// The time of day of a moment, in the machine's time zone.
    func timeText(_ date: Date) -> String {
        date.formatted(Date.FormatStyle(date: .omitted, time: .shortened, locale: language.locale))
    }

    /// The first full minute from which a payment is not being sent any more.
    func endText(_ record: PaymentRecord) -> String {
        timeText((record.sendingUntil ?? record.startedAt).addingTimeInterval(59))
    }

    /// A moment in words, in the machine's time zone.
    func dateText(_ date: Date) -> String {
        date.formatted(Date.FormatStyle(date: .long, time: .shortened, locale: language.locale))
    }
}
