import Aquifer
import AquiferFoundation
import Observation

/// The form of a new card. It holds the text typed, validates it, and saves the card.
///
/// The text typed stays in this model. The hints that a page receives contain no digit of the number.
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

    /// The hint for the number while it is typed.
    public private(set) var number: NumberHint
    /// The hint for the holder.
    public private(set) var holder: FieldHint<HolderNameError>
    /// The hint for the expiry date.
    public private(set) var expiry: FieldHint<ExpiryError>
    /// True while the card is being saved.
    public private(set) var isSaving = false
    /// The card that was saved.
    public private(set) var saved: CardSummary?
    /// The reason why the card could not be saved.
    public private(set) var error: VaultError?
    /// True if the number is the remote's test card and the service accepts it.
    public private(set) var isTestCard = false
    /// True if every field is valid, and the card is neither being saved nor saved already.
    public var canSave: Bool { !isSaving && saved == nil && card != nil }

    @ObservationIgnored private let service: PaymentsService
    private var card: (number: CardNumber, holder: String, expiry: Expiry)?
    @ObservationIgnored private var typed: [Field: String] = [:]

    /// A form that saves its card with a service.
    public init(_ service: PaymentsService) {
        self.service = service
        number = CardRules.number("", allowsTestCard: service.allowsTestCard)
        holder = CardRules.holder("")
        expiry = CardRules.expiry("", now: service.now())
    }

    /// Takes the text of a field. Ignored while the card is being saved, and for texts of more than 200 characters.
    public func edit(_ field: Field, _ text: String) {
        guard !isSaving, text.count <= 200 else { return }
        saved = nil
        typed[field] = text
        judge()
    }

    /// True if this is the text of a field. A page that shows another one may have lost an edit: its card is not saved.
    public func has(_ text: String, in field: Field) -> Bool {
        (typed[field] ?? "") == text
    }

    /// Saves the card if ``canSave`` is true, and empties the form.
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

    /// Empties the form.
    public func reset() {
        clear()
        saved = nil
        error = nil
    }

    /// Clears the error after the user has read it.
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
        // The hints show the errors of the fields. The card is set only if all fields are valid.
        let parsed = try? CardNumber(typed[.number] ?? "", allowsTestCard: service.allowsTestCard)
        let month = isTestCard ? Expiry(ofTestCard: text) : try? Expiry(parsing: text, now: service.now())  // as above
        expiry = isTestCard && month != nil ? .right : CardRules.expiry(text, now: service.now())
        let name = try? HolderName.parse(typed[.holder] ?? "")  // as above
        guard let parsed, let month, let name else {
            card = nil
            return
        }
        card = (parsed, name, month)
    }
}

extension Expiry {
    /// The expiry date of the remote's test card: any month, written `MM/YY`. The card expired long ago, and its remote
    /// accepts it all the same.
    public init?(ofTestCard text: String) {
        let parts = text.split(separator: "/").map { $0.trimmedOfSpaces }
        // `Int` reads a sign, too.
        let isTwoDigits = { (part: String) in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard parts.count == 2, parts.allSatisfy(isTwoDigits), let month = Int(parts[0]), let year = Int(parts[1]),
            (1...12).contains(month)
        else { return nil }
        self.init(month: month, year: 2000 + year)
    }
}

extension FieldHint {
    /// Nothing is wrong with the field.
    static var right: FieldHint { FieldHint({ () throws(Failure) in }, isUnfinished: { _ in false }) }
}
