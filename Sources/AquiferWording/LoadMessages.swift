import Aquifer
import AquiferFoundation

extension LoadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity: language.text("load.offline")
        case .invalidData(.status(500...)): language.text("load.serverFailed")
        case .invalidData: language.text("load.nonsense")
        case .store: language.text("load.unreadableCopy")
        case .cancelled: ""
        }
    }
}

extension DownloadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity: language.text("download.interrupted")
        case .invalidData: language.text("download.nonsense")
        case .store(.full): language.text("download.full")
        case .store: language.text("download.notKept")
        case .cancelled: ""
        }
    }
}

extension LoadSource {
    /// The notice for the user of a saved copy that stands in for the latest; `nil` when there is none.
    public func notice(in language: Language, now: Date) -> String? {
        guard case .cache(let savedAt, let reason?) = self else { return nil }
        let age = language.relative(savedAt, now: now)
        return switch reason {
        case .connectivity: language.text("notice.offline", ["age": age])
        case .invalidData: language.text("notice.nonsense", ["age": age])
        }
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
