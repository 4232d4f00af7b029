import Aquifer

/// The exit status of a command. One kind of error has the same exit code in every command.
///
/// The codes from 64 to 75 are those of `sysexits.h`. 130 and 141 are the codes that a shell shows for SIGINT and
/// SIGPIPE. `--help` prints this table, README repeats it, and tests compare them.
enum ExitStatus: Int32, CaseIterable {
    /// The result was delivered, or the change was made.
    case delivered = 0
    /// A card was declined, or a server refused a request for good. Sending it again changes nothing.
    case refused = 1
    /// The command line was not understood, or what it asks for is not possible. Nothing was sent.
    case usage = 64
    /// The remote's answer is not what its contract says, and nothing usable is saved.
    case invalidData = 65
    /// The thing that was named does not exist: a picture, contact, card, payment, clip, item, account or file.
    case notFound = 66
    /// There is no connectivity, and nothing usable is saved. A request that changes something was not carried out.
    case unavailable = 69
    /// A mistake in this program.
    case bug = 70
    /// Standard output, or the file of `-o`, cannot be written.
    case unwritable = 73
    /// Data on this machine cannot be read or saved: the store, the outbox, the vault.
    case store = 74
    /// It is not known whether a request was carried out, or it waits in the outbox and will be tried again.
    case unknown = 75
    /// The user interrupted the command.
    case interrupted = 130
    /// The reader of standard output went away.
    case closedPipe = 141

    /// The meaning of the code, in one line for `--help` and README.
    var meaning: String {
        switch self {
        case .delivered: "delivered"
        case .refused: "declined, or refused by the server for good"
        case .usage: "usage: the command line is wrong, or asks for something that is not possible"
        case .invalidData: "the remote's answer is invalid, and nothing usable is saved"
        case .notFound: "there is no such picture, contact, card, payment, clip, item, account or file"
        case .unavailable: "no connectivity, and nothing saved in the last seven days"
        case .bug: "a mistake in aquifer"
        case .unwritable: "the output cannot be written"
        case .store: "data on this machine cannot be read or saved"
        case .unknown: "the outcome is not known, or the request waits and will be tried again"
        case .interrupted: "interrupted"
        case .closedPipe: "the reader of the output went away"
        }
    }

    /// The table of all codes, a line each.
    static var table: String {
        allCases.map { status in
            let code = "\(status.rawValue)"
            return String(repeating: " ", count: 5 - code.count) + code + "  " + status.meaning
        }.joined(separator: "\n")
    }
}

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
        case .invalidData(.status(404)), .invalidData(.status(410)): self = .notFound(missing)
        default: self.init(error)
        }
    }

    /// The error of a failed load.
    init(_ error: LoadError) {
        switch error {
        case .connectivity(let reason):
            self.init(
                status: .unavailable,
                message: "no connectivity, and nothing saved in the last seven days (\(reason)); try again when online")
        case .invalidData(let reason):
            self.init(
                status: .invalidData,
                message: "the remote's answer is not what its contract says (\(reason)), and nothing usable is saved;"
                    + " if you gave its address with --remote, check it; otherwise try again later")
        case .store(let reason, let after):
            self.init(
                status: .store,
                message: Self.text(of: reason)
                    + (after == .connectivity
                        ? " (and there is no connectivity)" : " (and the remote's answer is invalid)"))
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
