import AquiferFoundation

extension LoadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity:
            language.pick(
                "You’re offline, and nothing recent is saved. Check your connection and try again.",
                "Você está sem conexão e não há nada recente salvo. Verifique a conexão e tente de novo.")
        case .invalidData(.status(500...)):
            language.pick(
                "The server has a problem. Try again later.",
                "O servidor está com um problema. Tente de novo mais tarde.")
        case .invalidData:
            language.pick(
                "The server’s answer made no sense. Try again in a moment.",
                "A resposta do servidor não fez sentido. Tente de novo em instantes.")
        case .store:
            language.pick(
                "The latest couldn’t be loaded, and the saved copy can’t be read. Try again when you’re online.",
                "Não deu para carregar o conteúdo mais recente, e a cópia salva não pode ser lida. Tente de novo quando tiver conexão."
            )
        case .cancelled: ""
        }
    }
}

extension DownloadError {
    /// The message for the user: the failure, and the remedy. Empty when the user left.
    public func message(in language: Language) -> String {
        switch self {
        case .connectivity:
            language.pick(
                "The connection ended. Try again: it goes on where it stopped.",
                "A conexão caiu. Tente de novo: continua de onde parou.")
        case .invalidData:
            language.pick(
                "The server gave something else. Try again in a moment.",
                "O servidor enviou outra coisa. Tente de novo em instantes.")
        case .store(.full):
            language.pick(
                "There is no room left on this machine. Make some and try again.",
                "Não há mais espaço nesta máquina. Libere um pouco e tente de novo.")
        case .store:
            language.pick("It can’t be kept on this machine.", "Não é possível guardar nesta máquina.")
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
        case .connectivity:
            language.pick("You’re offline. This was saved \(age).", "Você está sem conexão. Isto foi salvo \(age).")
        case .invalidData:
            language.pick(
                "The server isn’t making sense. This was saved \(age).",
                "O servidor não está respondendo direito. Isto foi salvo \(age).")
        }
    }
}

extension StoreError {
    /// The message for the user when the latest is shown and could not be saved.
    public func saveMessage(in language: Language) -> String {
        switch self {
        case .full:
            language.pick(
                "This couldn’t be saved for offline use: there is no room left.",
                "Não deu para salvar isto para uso sem conexão: não há espaço.")
        default:
            language.pick(
                "This couldn’t be saved for offline use.", "Não deu para salvar isto para uso sem conexão.")
        }
    }
}
