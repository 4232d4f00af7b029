import Aquifer

/// How the command ends, in the numbers of `sysexits.h`.
enum ExitStatus: Int32 {
    /// Delivered.
    case delivered = 0
    /// A card was declined.
    case declined = 1
    /// The command was not understood.
    case usage = 64
    /// The remote's data is invalid, and nothing is saved.
    case invalidData = 65
    /// No connectivity, and nothing is saved, or it has expired.
    case unavailable = 69
    /// The store failed.
    case store = 74
}

/// Why a command did not deliver: its status, and the one line that says what was wrong and what to do.
struct CommandError: Error {
    let status: ExitStatus
    let message: String

    static func usage(_ message: String) -> CommandError {
        CommandError(status: .usage, message: "\(message); see aquifer --help")
    }

    init(status: ExitStatus, message: String) {
        self.status = status
        self.message = message
    }

    /// A load that delivered nothing.
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
                    + " check the address given with --remote, or try again later")
        case .store(let reason, let after):
            self.init(
                status: .store,
                message: "\(reason)"
                    + (after == .connectivity
                        ? " (and there is no connectivity)" : " (and the remote's answer is invalid)"))
        case .cancelled:
            self.init(status: .unavailable, message: "interrupted")
        }
    }

    /// A store that failed.
    init(_ error: StoreError) {
        self.init(status: .store, message: "\(error)")
    }
}
