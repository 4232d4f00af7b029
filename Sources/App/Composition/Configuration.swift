import Aquifer
import Foundation
import ReferenceAPIs

/// Everything that a run of the product is told from outside.
public struct Configuration: Sendable {
    /// Where the stores are kept.
    public var data: URL
    /// Where the keys of sealed data are kept: apart from the data, so that a copy of the one opens nothing.
    public var keys: URL
    /// Whether the payments' test card is taken by a server that is not the reference remote.
    public var allowTestCard: Bool
    /// The servers to use instead of the reference remotes, by the app's name: `feed`.
    public var remotes: [String: URL]
    /// The key file of who owns storage accounts, in Solana's form; `nil` for nobody.
    public var driveKeypair: URL?
    /// Where Solana is asked; `nil` for its own address, or the reference remote's.
    public var driveRPC: URL?
    /// The key that Shadow Drive's server signs with, in base58; `nil` for its own, or the reference remote's.
    public var driveUploader: String?
    /// Where Shadow Drive's files are; `nil` for below its server.
    public var driveFiles: URL?
    /// Whether every transfer fails as if there were no network.
    public var offline: Bool
    /// The clock.
    public var now: @Sendable () -> Date
    /// What is wrong with the reference remotes from the start.
    public var faults: [ReferenceRemote: Fault]
    /// How reads are tried again.
    public var retry: RetryPolicy

    /// A configuration.
    public init(
        data: URL = Configuration.defaultData, keys: URL = Configuration.defaultKeys, allowTestCard: Bool = false,
        remotes: [String: URL] = [:], offline: Bool = false,
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

    /// `$XDG_DATA_HOME/aquifer`, or `~/.local/share/aquifer`.
    public static var defaultData: URL { folder("XDG_DATA_HOME", else: ".local/share") }

    /// `$XDG_CONFIG_HOME/aquifer/keys`, or `~/.config/aquifer/keys`.
    public static var defaultKeys: URL {
        folder("XDG_CONFIG_HOME", else: ".config").appending(path: "keys", directoryHint: .isDirectory)
    }

    private static func folder(_ variable: String, else path: String) -> URL {
        // Not `ProcessInfo`, which copies the whole environment: every command passes here.
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
