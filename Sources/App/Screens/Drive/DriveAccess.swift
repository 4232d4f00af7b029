import Aquifer
import AquiferWording
import Foundation
import ShadowDrive

/// Shadow Drive as the pages use it: one service for all of them, and the problem with the key, if there is one. No
/// state of a screen holds the secret.
struct DriveAccess: Sendable {
    let service: ShadowDriveService
    let problem: KeypairError?

    /// The owner's address.
    var owner: String? { service.owner.map { "\($0)" } }
    /// True if there is no key that could be used.
    var needsKey: Bool { service.owner == nil }

    /// The problem with the key in words.
    func keyText(_ language: Language) -> String? {
        problem.map { language.text("drive.key.unusable", ["reason": $0]) }
            ?? (service.owner == nil ? DriveError.noKeypair.message(in: language) : nil)
    }
}

/// Runs the work to its end, even when the page that asked for it is left: half a transaction helps nobody.
@MainActor
func toItsEnd(_ work: @escaping ScreenAction) -> ScreenAction {
    { await Task { await work() }.value }
}
