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
    /// There is no connectivity, and nothing usable is saved; a request that changes something was not carried out. Or a
    /// drive server failed, or the port to listen on is not free.
    case unavailable = 69
    /// A mistake in this program.
    case bug = 70
    /// The outcome of a payment or post could not be recorded, such as on a full disk. The next command that can records it.
    case unrecorded = 71
    /// Standard output, or the file of `-o`, cannot be written. A command that acts may have done so, and tells it.
    case unwritable = 73
    /// Data on this machine cannot be read or saved: the store, the outbox, the vault.
    case store = 74
    /// It is not known whether a request was carried out, or it waits in the outbox and will be tried again.
    case unknown = 75
    /// The user interrupted the command.
    case interrupted = 130
    /// The reader of standard output went away. A command that acts may have done so, and tells it.
    case closedPipe = 141

    /// The meaning of the code, in one line for `--help` and README.
    var meaning: String {
        switch self {
        case .delivered: "delivered"
        case .refused: "declined, or refused by the server for good"
        case .usage: "usage: the command line is wrong, or asks for something that is not possible; nothing was sent"
        case .invalidData: "the remote's answer is invalid, and nothing usable is saved"
        case .notFound: "there is no such picture, contact, card, payment, clip, item, account or file"
        case .unavailable:
            "no connectivity, and nothing saved in the last seven days; a failing drive server or database; a port in use"
        case .bug: "a mistake in aquifer"
        case .unrecorded: "the outcome of a payment or post could not be recorded; the next command that can does it"
        case .unwritable:
            "the output cannot be written; the command may have done its work, and says so on standard error"
        case .store: "data on this machine cannot be read or saved"
        case .unknown: "the outcome is not known, or the request waits and will be tried again"
        case .interrupted: "interrupted"
        case .closedPipe:
            "the reader of the output went away; the command may have done its work, and says so on standard error"
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
