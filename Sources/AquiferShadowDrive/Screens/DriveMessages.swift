import Aquifer
import AquiferFoundation
import AquiferWording

extension DriveError {
    /// The message for the user: the problem and a remedy. It is empty if the user cancelled.
    public func message(in language: Language) -> String {
        switch self {
        case .outcomeUnknown(.invalidData): language.text("drive.outcomeUnknown.nonsense")
        case .outcomeUnknown(.cancelled): language.text("drive.outcomeUnknown.cancelled")
        case .outcomeUnknown(.refused(let refusal)) where refusal.reason == .unconfirmed: refusal.message(in: language)
        case .outcomeUnknown(.refused): language.text("drive.outcomeUnknown.refused")
        case .outcomeUnknown: language.text("drive.outcomeUnknown.interrupted")
        case .connectivity(let error) where error.kind == .timedOut || error.kind == .interrupted:
            language.text("drive.interrupted")
        case .connectivity(let error): language.text("drive.offline", ["trouble": error.message(in: language)])
        case .invalidData(let error) where error.trouble == .serverFailed: language.text("load.serverFailed")
        case .invalidData: language.text("drive.nonsense")
        case .refused(let refusal): refusal.message(in: language)
        case .noSuchFile: language.text("drive.noSuchFile")
        case .limit(let error): error.message(in: language)
        case .file(let error): error.message(in: language)
        case .transaction(let error): language.text("drive.badTransaction", ["reason": error.message(in: language)])
        case .priceChanged(let cost?): language.text("drive.priceChanged", ["cost": language.price(cost)])
        case .priceChanged: language.text("drive.priceUnknown")
        case .noKeypair: language.text("drive.noKeypair")
        case .store: language.text("drive.store")
        case .cancelled: ""
        }
    }
}

extension DriveRefusal {
    /// The message for the user. The server's own words follow if they say more.
    public func message(in language: Language) -> String {
        let words = words.isEmpty ? "" : " (\(words))"
        return switch reason {
        case .notEnoughFunds: language.text("drive.refused.notEnoughFunds")
        case .staleBlockhash: language.text("drive.refused.staleBlockhash")
        case .alreadyProcessed: language.text("drive.refused.alreadyProcessed")
        case .badSignature: language.text("drive.refused.badSignature", ["words": words])
        case .emptyAccount: language.text("drive.refused.emptyAccount")
        case .serverFailure: language.text("drive.refused.serverFailure", ["words": words])
        case .inVain: language.text("drive.refused.inVain")
        case .unconfirmed: language.text("drive.refused.unconfirmed")
        case .other: language.text("drive.refused.other", ["words": words])
        }
    }
}

extension LimitError {
    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .noName: language.text("drive.limit.noName")
        case .nameTooLong(let bytes):
            language.text("drive.limit.nameTooLong", ["bytes": bytes, "limit": ShadowDriveLimits.nameBytes])
        case .size(let error): error.message(in: language)
        case .tooMuch(let free): language.text("drive.limit.tooMuch", ["free": language.size(free)])
        case .immutable: language.text("drive.limit.immutable")
        }
    }
}

extension StorageSizeError {
    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .notASize: language.text("drive.size.notASize")
        case .zero: language.text("drive.size.zero")
        case .outOfRange: language.text("drive.size.outOfRange")
        }
    }
}

extension FileError {
    /// The message beside the file's name, which it does not repeat.
    package func messageBesideName(in language: Language) -> String {
        switch self {
        case .unreadable: language.text("drive.file.unreadable.this")
        case .tooLarge(_, let bytes):
            language.text(
                "drive.file.tooLarge.this", ["bytes": bytes, "limit": language.size(ShadowDriveLimits.fileBytes)])
        case .noRoom(_, let free): language.text("drive.file.noRoom.this", ["free": language.size(free)])
        case .badName(let name, _):
            language.text(name.contains(",") ? "drive.file.comma.this" : "drive.file.badName.this")
        case .exists: language.text("drive.file.exists.this")
        case .repeated: language.text("drive.file.repeated.this")
        case .changed, .unwritable: message(in: language)
        }
    }

    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .unreadable(let name, _): language.text("drive.file.unreadable", ["name": name])
        case .tooLarge(let name, let bytes):
            language.text(
                "drive.file.tooLarge",
                ["name": name, "bytes": bytes, "limit": language.size(ShadowDriveLimits.fileBytes)])
        case .noRoom(let name, let free):
            language.text("drive.file.noRoom", ["name": name, "free": language.size(free)])
        case .badName(let name, _):
            language.text(name.contains(",") ? "drive.file.comma" : "drive.file.badName", ["name": name])
        case .exists(let name): language.text("drive.file.exists", ["name": name])
        case .repeated(let name): language.text("drive.file.repeated", ["name": name])
        case .changed: language.text("drive.file.changed")
        case .unwritable(let path, _): language.text("drive.file.unwritable", ["path": path])
        }
    }
}
