import Aquifer
import AquiferPayments
import AquiferShadowDrive

/// The command or option that helps against an error. An error of a library says what is wrong and what can be done, in
/// terms of any app; only this table says which command does it.
enum Advice {
    static func on(_ error: VaultError) -> String? {
        switch error {
        case .rolledBack: "aquifer cards accept-older keeps them, aquifer cards discard-older removes them all"
        case .lost: "aquifer cards discard-older begins without them"
        case .missingSharedKey, .foreignSharedKey: "--keys names the folder of the keys"
        case .missingKey, .wrongKey, .sharedKeyStays, .damaged, .otherVersion, .tooOpen, .full, .readOnly, .busy,
            .failed:
            nil
        }
    }

    static func on(_ error: KeypairError) -> String? {
        switch error {
        case .missing: "aquifer drive keygen makes one"
        case .tooOpen, .exists, .empty, .failed, .notAKey, .wrongLength, .mismatch: nil
        }
    }

    static func on(_ error: DriveError) -> String? {
        switch error {
        case .noKeypair: "aquifer drive keygen makes one, --keypair names one"
        case .file(.exists): "--replace takes its place"
        default: nil
        }
    }

    /// The advice for a damaged entry depends on its kind: a payment or a post is not a copy of remote data, and cannot
    /// be loaded again.
    static func onDamage(of key: String) -> String {
        switch key {
        case let key where PaymentLedger.isPayment(key):
            "it cannot be loaded again; aquifer payments list shows the others, your bank's statement this one, and"
                + " aquifer payments discard removes it"
        case let key where Outbox.isEntry(key):
            "aquifer outbox list shows what waits, and aquifer outbox discard takes a damaged item out"
        case let key where PaymentLedger.isChosenCard(key): "name a card with --card"
        default: "load it again while online, or delete it with aquifer cache validate"
        }
    }
}
