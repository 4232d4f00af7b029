import Aquifer
import AquiferWording

/// The error of a command: its status, and one line that describes the error and the remedy.
struct CommandError: Error {
    let status: ExitStatus
    private let text: String
    /// Further lines for people.
    var remarks: [String] = []
    /// The command whose help explains the mistake: empty for the whole program, `nil` for an error of another kind.
    private var helpName: String?

    /// An error of the words on the command line. Its message names the help that explains them.
    static func usage(_ message: String) -> CommandError {
        var error = CommandError(status: .usage, message: message)
        error.helpName = ""
        return error
    }

    init(status: ExitStatus, message: String) {
        self.status = status
        text = message
    }

    /// The error of a library, with the command or option that helps.
    init(status: ExitStatus, _ error: some Error, _ advice: String?) {
        self.init(status: status, message: advice.map { "\(error); \($0)" } ?? "\(error)")
    }

    /// An error with words for users, which pages show as well, and details for developers in one bracket behind them.
    init(status: ExitStatus, _ words: String, details: String) {
        self.init(status: status, message: details.isEmpty ? words : "\(words) (\(details))")
    }

    /// The error in one line, with the remedy.
    var message: String {
        guard let helpName else { return text }
        return "\(text); see aquifer \(helpName.isEmpty ? "" : helpName + " ")--help"
    }

    /// The same error. A mistake in the words points to the help of this command, unless it already points to one.
    func pointing(to command: String) -> CommandError {
        guard helpName == "" else { return self }
        var error = self
        error.helpName = command
        return error
    }

    /// The error for a named thing that does not exist.
    ///
    /// - Parameter message: Names the thing, and the command that lists the existing ones.
    static func notFound(_ message: String) -> CommandError {
        CommandError(status: .notFound, message: message)
    }

    /// The error of a failed load of one named thing.
    ///
    /// - Parameter missing: The message if there is no such thing: the server answered 404 or 410.
    init(_ error: LoadError, ifMissing missing: String) {
        switch error {
        case .invalidData where error.trouble == .missing: self = .notFound(missing)
        default: self.init(error)
        }
    }

    /// The error of a failed load.
    init(_ error: LoadError) {
        switch error {
        case .connectivity(let reason):
            self.init(status: .unavailable, error.message(in: .english), details: reason.details)
        case .invalidData(let reason):
            let advice =
                [.notUnderstood, .missing].contains(error.trouble) ? "; if --remote gave its address, check that" : ""
            self.init(status: .invalidData, error.message(in: .english), details: "\(reason)\(advice)")
        case .store(let reason, let after):
            let why = after == .connectivity ? "the server did not answer" : "the server's answer is invalid"
            self.init(status: .store, Self.text(of: reason), details: "and \(why)")
        case .cancelled:
            self.init(status: .interrupted, message: "interrupted")
        }
    }

    /// The error of a failed store.
    init(_ error: StoreError) {
        self.init(status: .store, message: Self.text(of: error))
    }

    /// The description of the error and its remedy.
    private static func text(of error: StoreError) -> String {
        guard case .unreadable(let key, let reason) = error else { return "\(error)" }
        return "what is saved as \"\(key)\" is damaged (\(reason)); \(Advice.onDamage(of: key))"
    }
}

extension TransportError {
    /// The details for developers, which follow the words for users.
    var details: String { detail.isEmpty ? kind.rawValue : detail }
}
