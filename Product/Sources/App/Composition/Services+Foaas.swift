import Aquifer
import AquiferConcurrency
import AquiferFoaas
import AquiferUserDefaults
import Foundation

/// The progress of the start of the phrases.
enum FoaasStart: Sendable {
    /// This product has not configured ``FoaasAPIManager``: it is not the process's own product.
    case unconfigured
    /// ``FoaasAPIManager`` is configured. Nothing has been requested yet.
    case configured
    /// The first screen of the phrases has started them.
    case started
}

/// The start of the phrases, which their specification assigns to the app's delegate.
extension Services {
    /// Configures ``FoaasAPIManager`` with this product's service, for the screens. Nothing is requested yet.
    ///
    /// Call this for only one product of a process, because the functions of `FoaasAPIManager` are class functions.
    public func configureFoaas() {
        FoaasAPIManager.configure(foaas)
        foaasStart.withLock { $0 = .configured }
    }

    /// Starts the phrases with their first screen. ``FoaasDataManager`` loads the stored operations. Only if there are
    /// none, ``FoaasAPIManager`` requests and stores them. A notification then informs the screens.
    ///
    /// Does nothing on further calls, and without ``configureFoaas()``.
    func startFoaas() async {
        let isFirst = foaasStart.withLock { start in
            defer { if start == .configured { start = .started } }
            return start == .configured
        }
        guard isFirst else { return }
        // Screens load for themselves, and show the error.
        _ = try? await foaas.manager?.loadOrRequest()
    }
}

/// The user defaults in which operations are stored, in one data folder. They are opened on first use.
final class FoaasDefaults: Sendable {
    private let domain: String
    private let opened = Locked<UserDefaultsStore?>(nil)

    init(in folder: URL) {
        #if os(Linux)
            // A domain named by a path is stored there: each data folder has its own.
            domain = folder.appending(path: "foaas").path
        #else
            domain = "aquifer.foaas \(folder.path)"
        #endif
    }

    /// The store of the defaults.
    ///
    /// - Throws: ``StoreError/notAStore(path:)`` if a pipe, a device or a folder is in the file's place: opening a pipe would wait
    ///   for ever. ``StoreError/damaged(path:reason:)`` if the file is too large: it would be read as a whole.
    var store: UserDefaultsStore {
        get throws(StoreError) { try opened.withLock { opened throws(StoreError) in try open(&opened) } }
    }

    private func open(_ opened: inout UserDefaultsStore?) throws(StoreError) -> UserDefaultsStore {
        if let opened { return opened }
        #if os(Linux)
            let file = domain + ".plist"
            if POSIX.isSpecial(file) { throw .notAStore(path: file) }
            if let size = POSIX.status(file)?.size, size > 16 << 20 {
                throw .damaged(path: file, reason: "it is too large for settings")
            }
        #endif
        // The initializer returns `nil` only for the names of the standard and the global domain.
        let store = UserDefaultsStore(UserDefaults(suiteName: domain) ?? UserDefaults())
        opened = store
        return store
    }
}
