import Aquifer
import Foundation
import ShadowDrive

/// Shadow Drive as the pages use it: one service for all of them, and what is wrong with the key, if anything is. No state
/// of a screen holds the secret.
struct DriveAccess: Sendable {
    let service: ShadowDriveService
    let problem: KeypairError?

    func fields(_ language: Language) -> [(String, JSONText)] {
        [
            ("owner", .string(service.owner.map { "\($0)" })),
            ("needsKey", .bool(service.owner == nil)),
            (
                "keyText",
                .string(
                    problem.map {
                        language.pick("The key file can’t be used: \($0).", "O arquivo da chave não serve: \($0).")
                    } ?? (service.owner == nil ? DriveError.noKeypair.message(in: language) : nil))
            ),
        ]
    }
}

/// What is done to its end, even when the page that asked for it is left: half a transaction helps nobody.
@MainActor
func toItsEnd(_ work: @escaping ScreenAction) -> ScreenAction {
    { await Task { await work() }.value }
}
