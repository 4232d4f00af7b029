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
    public private(set) var holder: FieldHint<HolderNameError>
    /// What is to be known of the expiry.
    public private(set) var expiry: FieldHint<ExpiryError>
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
        let text = typed[.expiry] ?? ""
        number = CardRules.number(typed[.number] ?? "", allowsTestCard: service.allowsTestCard)
        holder = CardRules.holder(typed[.holder] ?? "")
        isTestCard = number.isTestCard
        // Whatever is wrong with a field is told by its hint; the card is there when nothing is.
        let parsed = try? CardNumber(typed[.number] ?? "", allowsTestCard: service.allowsTestCard)
        let month = isTestCard ? Expiry(ofTestCard: text) : try? Expiry(parsing: text, now: service.now())  // as above
        expiry = isTestCard && month != nil ? .right : CardRules.expiry(text, now: service.now())
        guard let parsed, let month, holder.isValid else {
            card = nil
            return
        }
        card = (parsed, (typed[.holder] ?? "").trimmingCharacters(in: .whitespaces), month)
    }
}

extension Expiry {
    /// The expiry of the remote's test card, which expired long ago and is taken by that remote all the same: any month.
    public init?(ofTestCard text: String) {
        let parts = text.split(separator: "/").map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let month = Int(parts[0]),
            let year = Int(parts[1]),
            (1...12).contains(month)
        else { return nil }
        self.init(month: month, year: 2000 + year)
    }
}

extension FieldHint {
    /// Nothing is wrong with the field.
    static var right: FieldHint { FieldHint({ () throws(Failure) in }, isUnfinished: { _ in false }) }
}
