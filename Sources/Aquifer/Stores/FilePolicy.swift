import AquiferFoundation

/// The treatment of a store's files by Apple's systems: when they can be read, and whether backups have them. Other
/// systems have neither, and ignore it.
///
/// ```swift
/// let pictures = try SQLiteStore(file: file, files: FilePolicy(isInBackups: false))
/// ```
public struct FilePolicy: Sendable, Hashable {
    /// The time at which a file can be read (its data protection class).
    public enum Protection: Sendable, Hashable, CaseIterable {
        /// At any time. The file is encrypted with a key that the device always has.
        case always
        /// From the first unlock after a start of the device on. Choose it for data that the app needs in the background.
        case fromFirstUnlock
        /// While the device is unlocked; a file that is open stays readable after that.
        case whileUnlockedOrOpen
        /// While the device is unlocked. A store that is used at another time throws.
        case whileUnlocked
    }

    /// The time at which the files can be read; `nil` for the default of the app.
    public var protection: Protection?
    /// False to keep the files out of backups. Apple asks for that for data that can be loaded again.
    public var isInBackups: Bool

    /// A policy; by default, that of the system.
    public init(protection: Protection? = nil, isInBackups: Bool = true) {
        self.protection = protection
        self.isInBackups = isInBackups
    }

    /// The default of the system and the app.
    public static let systemDefault = FilePolicy()

    /// Applies the policy to those files and folders that exist. A file that is created in a folder later has the
    /// folder's policy.
    ///
    /// - Throws: ``StoreError/failed(operation:reason:)`` when the system refuses.
    package func apply(to paths: [String]) throws(StoreError) {
        #if !os(Linux)
            guard self != .systemDefault else { return }
            for path in paths where POSIX.exists(path) {
                do { try apply(to: path) } catch {
                    throw .failed(operation: "protect \(path)", reason: error.localizedDescription)
                }
            }
        #endif
    }

    #if !os(Linux)
        private func apply(to path: String) throws {
            if let protection {
                try FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: path)
            }
            var values = URLResourceValues()
            values.isExcludedFromBackup = !isInBackups
            var file = URL(fileURLWithPath: path)
            try file.setResourceValues(values)
        }
    #endif
}

#if !os(Linux)
    extension FilePolicy.Protection {
        fileprivate var type: FileProtectionType {
            switch self {
            case .always: .none
            case .fromFirstUnlock: .completeUntilFirstUserAuthentication
            case .whileUnlockedOrOpen: .completeUnlessOpen
            case .whileUnlocked: .complete
            }
        }
    }
#endif
