import Foundation

/// A domain of `UserDefaults` for one test: empty at first, gone with its owner.
public final class TemporaryDefaults: Sendable {
    /// The domain's name, made anew for each.
    public let name = "aquifer-tests-\(UUID().uuidString)"

    /// An empty domain.
    public init() {}

    /// Opens the domain, as another part of a program would.
    public func open() -> UserDefaults {
        // Only the names of the standard and the global domain give none.
        UserDefaults(suiteName: name) ?? UserDefaults()
    }

    deinit {
        let defaults = open()
        defaults.removePersistentDomain(forName: name)
        defaults.synchronize()
        #if os(Linux)
            // Here the file of a domain outlives its last value.
            let environment = ProcessInfo.processInfo.environment
            let folder =
                environment["XDG_CONFIG_HOME"].map { URL(filePath: $0) }
                ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".config")
            // A file that is left behind harms nobody.
            try? FileManager.default.removeItem(at: folder.appending(path: "\(name).plist"))
        #endif
    }
}
