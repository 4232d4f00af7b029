import Aquifer
import AquiferShadowDrive
import AquiferWording
import Foundation

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
        if let problem { return language.text("drive.key.unusable", ["reason": problem]) }
        guard needsKey else { return nil }
        // The library knows no command line: the pages are started from one.
        let remedy = language.text("drive.noKeypair.make", ["command": "aquifer drive keygen", "option": "--keypair"])
        return "\(DriveError.noKeypair.message(in: language)) \(remedy)"
    }
}

/// Runs the work to its end, even when the page that asked for it is left: half a transaction helps nobody.
@MainActor
func toItsEnd(_ work: @escaping ScreenAction) -> ScreenAction {
    { await Task { await work() }.value }
}
