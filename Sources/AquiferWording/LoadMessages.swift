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
        case .invalidData(let error) where error.isUnauthorized: language.text("load.loginEnded")
        case .connectivity, .invalidData: trouble.map { language.text("load.\($0.rawValue)") } ?? ""
        case .store(.ended, _): language.text("load.loggedOut")
        case .store: language.text("load.unreadableCopy")
        case .cancelled: ""
        }
    }

    /// The message for the user beside a value that the screen goes on to show: it says nothing of what is saved. Empty when the user
    /// left.
    public func refreshMessage(in language: Language) -> String {
        message(in: language) { language.text("refresh.failed", ["trouble": $0]) }
    }

    /// The message for the user at the end of a list, or in a gap, for which no more items could be loaded (`PagedModel.More`). Empty
    /// when the user left.
    public func moreMessage(in language: Language) -> String {
        message(in: language) { language.text("more.failed", ["trouble": $0]) }
    }

    /// A message with the trouble in one sentence. The end of a login is told alone.
    package func message(in language: Language, _ text: (_ trouble: String) -> String) -> String {
        switch self {
        case .cancelled, .store(.ended, _): message(in: language)
        case .connectivity, .invalidData, .store:
            isUnauthorized ? message(in: language) : text(trouble?.message(in: language) ?? "").trimmed
        }
    }
}

extension DownloadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity(let error):
            language.text("download.interrupted", ["trouble": error.message(in: language)])
        case .invalidData(let error) where error.isUnauthorized: language.text("load.loginEnded")
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
    /// The notice for the user of a saved copy that stands in for the latest because of an error.
    ///
    /// It is `nil` for the latest, and also for a copy without an error: one that ``CachePolicy/askAfter`` spares a request for, or
    /// that is shown before the first answer. Call a value the latest only if the source is ``LoadSource/remote``.
    ///
    /// It says what the trouble is, and how old the copy is, or that there is none beside what the user has changed. A copy that is
    /// dated in the future has no age.
    public func notice(in language: Language, now: Date) -> String? {
        if case .pendingOnly(let error?) = self, let trouble = error.trouble {
            return language.text("notice.pendingOnly", ["trouble": trouble.message(in: language)])
        }
        guard case .cache(let savedAt, let error?) = self, let trouble = error.trouble else { return nil }
        let told = trouble.message(in: language)
        guard !language.isAhead(savedAt, of: now) else { return language.text("notice.early", ["trouble": told]) }
        let age = language.relative(savedAt, now: now)
        // The user can do nothing about an answer without meaning: that the latest is not shown is all there is to tell.
        guard trouble != .notUnderstood else { return language.text("notice.notRefreshed", ["age": age]) }
        return language.text("notice.saved", ["trouble": told, "age": age])
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

    /// The message for the user when a value is shown, and the user's changes in it could not be read.
    public func pendingMessage(in language: Language) -> String { language.text("pending.unread") }
}
