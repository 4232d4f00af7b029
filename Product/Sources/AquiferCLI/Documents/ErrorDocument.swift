/// The document of an error.
struct ErrorDocument: Encodable {
    /// The error.
    struct Details: Encodable {
        /// The kind of the error: the name of its exit code.
        let kind: String
        /// The text that standard error has, without the program's name.
        let message: String
        /// The exit code.
        let exit: Int32

        init(_ error: CommandError) {
            kind = error.status.kind
            message = Redaction.ofProcess.text(error.message).harmless
            exit = error.status.rawValue
        }
    }

    let error: Details

    init(_ error: CommandError) {
        self.error = Details(error)
    }
}

extension ExitStatus {
    /// The name of the exit code in documents.
    var kind: String {
        switch self {
        case .delivered: "delivered"
        case .refused: "refused"
        case .usage: "usage"
        case .invalidData: "invalidData"
        case .notFound: "notFound"
        case .unavailable: "unavailable"
        case .bug: "bug"
        case .unrecorded: "unrecorded"
        case .unwritable: "unwritable"
        case .store: "store"
        case .unknown: "unknown"
        case .interrupted: "interrupted"
        case .closedPipe: "closedPipe"
        }
    }
}
