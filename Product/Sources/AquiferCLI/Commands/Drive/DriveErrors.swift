import AquiferShadowDrive
import AquiferWording

extension CommandError {
    /// Converts any error of a Shadow Drive command.
    init(drive error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as DriveError: self.init(error)
        case let error as KeypairError: self.init(error)
        default: self.init(status: .usage, message: "\(error)")
        }
    }

    /// Converts the error of a key that cannot be used.
    init(_ error: KeypairError) {
        let status: ExitStatus =
            switch error {
            case .missing: .notFound
            case .failed: .store
            case .tooOpen, .exists, .empty, .notAKey, .wrongLength, .mismatch: .usage
            }
        self.init(status: status, error, Advice.on(error))
    }

    /// Converts an error of Shadow Drive.
    init(_ error: DriveError) {
        let status: ExitStatus =
            switch error.cause {
            case .connectivity: .unavailable
            case .cancelled: .interrupted
            case .invalidData, .outcomeUnknown: .invalidData
            // A server failure may be temporary. The other refusals are final.
            case .refused(let refusal): refusal.reason == .serverFailure ? .unavailable : .refused
            case .noSuchFile, .file(.unreadable): .notFound
            case .file(.unwritable): .unwritable
            case .file(.exists), .priceChanged: .refused
            case .limit, .file, .transaction, .noKeypair: .usage
            case .store: .store
            }
        let told = error.isOutcomeUnknown ? ExitStatus.unknown : status
        switch error.cause {
        case .connectivity(let reason): self.init(status: told, error.message(in: .english), details: reason.details)
        case .invalidData(let reason): self.init(status: told, error.message(in: .english), details: "\(reason)")
        default: self.init(status: told, error, Advice.on(error))
        }
    }
}
