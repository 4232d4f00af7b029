import Aquifer
import AquiferShadowDrive
import Foundation
import ReferenceAPIs

/// The configuration of one run of the product.
public struct Configuration: Sendable {
    /// The folder of the stores.
    public var data: URL
    /// The place of the stores; `nil` for files in ``data``.
    public var stores: (any StorePlace)?
    /// The folder of the keys of sealed data. It is separate from the data, so that a copy of either alone opens
    /// nothing.
    public var keys: URL
    /// True if the payments' test card is accepted with a server other than the reference remote.
    public var allowTestCard: Bool
    /// The servers to use instead of the reference remotes.
    public var remotes: [ReferenceRemote: URL]
    /// The key file of the owner of storage accounts, in Solana's format; `nil` if there is no owner.
    public var driveKeypair: URL?
    /// The address of the Solana RPC server; `nil` for Solana's own address, or the reference remote's.
    public var driveRPC: URL?
    /// The public key that Shadow Drive's server signs with; `nil` for its own, or the reference remote's.
    public var driveUploader: PublicKey?
    /// The base address of Shadow Drive's files; `nil` for an address below its server.
    public var driveFiles: URL?
    /// True if every transfer fails as if there were no network.
    public var offline: Bool
    /// The clock.
    public var now: @Sendable () -> Date
    /// The initial faults of the reference remotes.
    public var faults: [ReferenceRemote: Fault]
    /// True if pages offer to take the reference remotes offline, and to let them fail.
    public var offersSimulator = true
    /// The retry policy for reads.
    public var retry: RetryPolicy
    /// The time after which a list is shown as it is saved, while its server has not answered; `nil` waits for the answer.
    public var patience: Duration?

    /// A configuration.
    public init(
        data: URL = Configuration.defaultData, keys: URL = Configuration.defaultKeys, allowTestCard: Bool = false,
        remotes: [ReferenceRemote: URL] = [:], offline: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }, faults: [ReferenceRemote: Fault] = [:],
        retry: RetryPolicy = RetryPolicy(attempts: 2)
    ) {
        self.data = data
        self.keys = keys
        self.allowTestCard = allowTestCard
        self.remotes = remotes
        self.offline = offline
        self.now = now
        self.faults = faults
        self.retry = retry
    }

    /// True if storage accounts are at the reference remote.
    var usesReferenceDrive: Bool { remotes[.drive] == nil && driveRPC == nil }

    /// The same for one of several users, who has folders and a drive key alone.
    func of(_ user: UserGround) -> Configuration {
        var own = self
        (own.data, own.keys) = (user.folder, user.keys)
        // At a server elsewhere the operator puts the user's key there. The one that `--keypair` names is nobody's.
        let key = user.keys.appending(path: "drive.json")
        own.driveKeypair = usesReferenceDrive || !POSIX.exists(key.path(percentEncoded: false)) ? nil : key
        return own
    }

    /// `$XDG_DATA_HOME/aquifer`, or `~/.local/share/aquifer`.
    public static var defaultData: URL { folder("XDG_DATA_HOME", else: ".local/share") }

    /// `$XDG_CONFIG_HOME/aquifer/keys`, or `~/.config/aquifer/keys`.
    public static var defaultKeys: URL {
        folder("XDG_CONFIG_HOME", else: ".config").appending(path: "keys", directoryHint: .isDirectory)
    }

    private static func folder(_ variable: String, else path: String) -> URL {
        // `ProcessInfo` is too slow here: it copies the whole environment, and every command calls this function.
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        if let folder = value(variable) {
            return URL(filePath: folder, directoryHint: .isDirectory).appending(
                path: "aquifer", directoryHint: .isDirectory)
        }
        return URL(filePath: value("HOME") ?? NSHomeDirectory(), directoryHint: .isDirectory)
            .appending(path: "\(path)/aquifer", directoryHint: .isDirectory)
    }
}
