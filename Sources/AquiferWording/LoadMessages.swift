import Aquifer
import AquiferFoundation

extension RemoteTrouble {
    /// The trouble in one sentence: "The server can’t be reached."
    public func message(in language: Language) -> String { language.text("trouble.\(rawValue)") }
}

extension TransportError {
    /// The trouble in one sentence. Empty when the user left.
    public func message(in language: Language) -> String { trouble?.message(in: language) ?? "" }
}

extension LoadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity, .invalidData: trouble.map { language.text("load.\($0.rawValue)") } ?? ""
        case .store: language.text("load.unreadableCopy")
        case .cancelled: ""
        }
    }
}

extension DownloadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity(let error):
            language.text("download.interrupted", ["trouble": error.message(in: language)])
        case .invalidData(let error) where error.trouble != .notUnderstood:
            language.text("load.\(error.trouble.rawValue)")
        case .invalidData: language.text("download.nonsense")
        case .store(.full): language.text("download.full")
        case .store: language.text("download.notKept")
        case .cancelled: ""
        }
    }
}

extension LoadSource {
    /// The notice for the user of a saved copy that stands in for the latest; `nil` when there is none.
    ///
    /// It says what the trouble is, and how old the copy is. A copy that is dated in the future has no age.
    public func notice(in language: Language, now: Date) -> String? {
        guard case .cache(let savedAt, let error?) = self, let trouble = error.trouble else { return nil }
        let told = trouble.message(in: language)
        guard !language.isAhead(savedAt, of: now) else { return language.text("notice.early", ["trouble": told]) }
        return language.text("notice.saved", ["trouble": told, "age": language.relative(savedAt, now: now)])
    }
}

extension StoreError {
    /// The message for the user when the latest is shown and could not be saved.
    public func saveMessage(in language: Language) -> String {
        switch self {
        case .full: language.text("save.full")
        default:
            language.text("save.failed")
        }
    }
}
