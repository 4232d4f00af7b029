import Aquifer
import AquiferWording

extension TransactionError {
    /// The error in the transaction, as the part of a sentence after a colon. An unexpected transaction has only the
    /// program's own words, in English. The Portuguese text quotes them as a technical detail.
    public func message(in language: Language) -> String {
        switch self {
        case .tooLarge(let bytes):
            language.text("transaction.error.tooLarge", ["bytes": bytes, "limit": SolanaTransaction.limit])
        case .tooManyAccounts: language.text("transaction.error.tooManyAccounts")
        case .notBase64: language.text("transaction.error.notBase64")
        case .truncated: language.text("transaction.error.truncated")
        case .malformed: language.text("transaction.error.malformed")
        case .versioned: language.text("transaction.error.versioned")
        case .wrongHeader: language.text("transaction.error.wrongHeader")
        case .repeatedAccount: language.text("transaction.error.repeatedAccount")
        case .wrongPlace: language.text("transaction.error.wrongPlace")
        case .missingSignature(let key): language.text("transaction.error.missingSignature", ["key": key])
        case .invalidSignature(let key): language.text("transaction.error.invalidSignature", ["key": key])
        case .notASigner(let key): language.text("transaction.error.notASigner", ["key": key])
        case .unexpected(let reason): language.text("transaction.error.unexpected", ["reason": reason])
        }
    }
}
