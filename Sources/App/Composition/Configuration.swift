import Aquifer
import Foundation
import ReferenceAPIs

/// Everything that a run of the product is told from outside.
public struct Configuration: Sendable {
    /// Where the stores are kept.
    public var data: URL
    /// The servers to use instead of the reference remotes, by the app's name: `feed`.
    public var remotes: [String: URL]
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
        data: URL = Configuration.defaultData, remotes: [String: URL] = [:], offline: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }, faults: [ReferenceRemote: Fault] = [:],
        retry: RetryPolicy = RetryPolicy(attempts: 2)
    ) {
        self.data = data
        self.remotes = remotes
        self.offline = offline
        self.now = now
        self.faults = faults
        self.retry = retry
    }

    /// `$XDG_DATA_HOME/aquifer`, or `~/.local/share/aquifer`.
    public static var defaultData: URL {
        // Not `ProcessInfo`, which copies the whole environment: every command passes here.
        func folder(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        }
        if let folder = folder("XDG_DATA_HOME") {
            return URL(filePath: folder, directoryHint: .isDirectory).appending(path: "aquifer")
        }
        return URL(filePath: folder("HOME") ?? NSHomeDirectory(), directoryHint: .isDirectory)
            .appending(path: ".local/share/aquifer", directoryHint: .isDirectory)
    }
}
