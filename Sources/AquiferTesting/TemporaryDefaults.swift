import Foundation

/// A domain of `UserDefaults` for one test: empty at first, gone with its owner.
public final class TemporaryDefaults: Sendable {
    /// The domain's name, made anew for each.
    public let name: String

    /// An empty domain.
    public init() {
        #if os(Linux)
            // A domain named by a path lies there, and not among the settings of whoever runs the tests.
            name = FileManager.default.temporaryDirectory.appending(path: "aquifer-defaults-\(UUID().uuidString)").path
        #else
            name = "aquifer-tests-\(UUID().uuidString)"
        #endif
    }

    /// Opens the domain, as another part of a program would.
    public func open() -> UserDefaults {
        // Only the names of the standard and the global domain give none.
        UserDefaults(suiteName: name) ?? UserDefaults()
    }

    #if os(Linux)
        /// Lets no write to the domain's file succeed any more, by whichever user.
        public func breakFile() throws {
            try? FileManager.default.removeItem(atPath: "\(name).plist")  // it may not be there yet
            try FileManager.default.createDirectory(atPath: "\(name).plist", withIntermediateDirectories: false)
        }
    #endif

    deinit {
        open().removePersistentDomain(forName: name)
        #if os(Linux)
            // Here the file of a domain outlives its last value. One that is left behind harms nobody.
            try? FileManager.default.removeItem(atPath: "\(name).plist")
        #endif
    }
}
