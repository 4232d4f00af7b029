import Aquifer
import Foundation
import Observation

/// The form of a new card: what was typed, whether it is right, and saving it.
///
/// What was typed stays here: the hints that a page is given hold no digit of the number.
@MainActor @Observable
public final class CardFormModel {
    /// A field of the form.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The card's number.
        case number
        /// The name on the card.
        case holder
        /// Month and year.
        case expiry
    }

    /// What is to be known of the number while it is typed.
    public private(set) var number: NumberHint
    /// What is to be known of the holder.
    public private(set) var holder: FieldHint
    /// What is to be known of the expiry.
    public private(set) var expiry: FieldHint
    /// Whether the card is being saved.
    public private(set) var isSaving = false
    /// The card that was saved.
    public private(set) var saved: CardSummary?
    /// Why it could not be saved.
    public private(set) var error: VaultError?
    /// Whether the number is the remote's test card, which is taken here.
    public private(set) var isTestCard = false
    /// Whether every field is right.
    public var canSave: Bool { !isSaving && saved == nil && card != nil }

    @ObservationIgnored private let service: PaymentsService
    private var card: (number: CardNumber, holder: String, expiry: Expiry)?
    @ObservationIgnored private var typed: [Field: String] = [:]

    /// A form whose card a service will keep.
    public init(_ service: PaymentsService) {
        self.service = service
        number = CardRules.number("", allowsTestCard: service.allowsTestCard)
        holder = CardRules.holder("")
        expiry = CardRules.expiry("", now: service.now())
    }

    /// A field as it was typed.
    public func edit(_ field: Field, _ text: String) {
        guard !isSaving, text.count <= 200 else { return }
        saved = nil
        typed[field] = text
        judge()
    }

    /// Keeps the card, if every field is right.
    public func save() async {
        guard canSave, let card else { return }
        isSaving = true
        error = nil
        do throws(VaultError) {
            saved = try await service.add(card.number, holder: card.holder, expiry: card.expiry)
            clear()
        } catch {
            self.error = error
        }
        isSaving = false
    }

    /// An empty form.
    public func reset() {
        clear()
        saved = nil
        error = nil
    }

    /// The customer has read what went wrong.
    public func dismissError() {
        error = nil
    }

    private func clear() {
        typed = [:]
        judge()
    }

    private func judge() {
        let now = service.now()
        number = CardRules.number(typed[.number] ?? "", allowsTestCard: service.allowsTestCard)
        holder = CardRules.holder(typed[.holder] ?? "")
        // Whatever is wrong with a field is told by its hint; the card is there when nothing is.
        let parsed = try? CardNumber(typed[.number] ?? "", allowsTestCard: service.allowsTestCard)
        isTestCard = parsed?.isTestCard == true
        expiry = isTestCard ? CardRules.testCardExpiry(typed[.expiry] ?? "") : CardRules.expiry(typed[.expiry] ?? "", now: now)
        guard let parsed, holder.isValid, expiry.isValid, let month = Expiry(text: typed[.expiry] ?? "") else {
            card = nil
            return
        }
        card = (parsed, (typed[.holder] ?? "").trimmingCharacters(in: .whitespaces), month)
    }
}
