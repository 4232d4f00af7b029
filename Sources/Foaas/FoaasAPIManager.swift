import Aquifer
import Foundation

/// The two calls to the remote, as the specification names them.
///
/// Not a singleton: all functions are the class' own. Each completion form calls its `async` form; new code calls those.
/// The server and the client are set once, before the first call, with ``configure(_:)``.
public final class FoaasAPIManager {
    private static let service = Locked<FoaasService?>(nil)

    private init() {}

    /// Sets the service that is asked from now on.
    public class func configure(_ service: FoaasService) {
        self.service.withLock { $0 = service }
    }

    /// The phrase at an address of the remote.
    ///
    /// - Throws: ``LoadError``; `.connectivity` also when nothing has been configured.
    public class func getFoaas(url: URL) async throws(LoadError) -> Foaas {
        try await configured().foaas(at: url)
    }

    /// The operations: the latest, saved; offline those saved less than seven days ago.
    ///
    /// - Throws: ``LoadError``; `.connectivity` also when nothing has been configured.
    public class func getOperations() async throws(LoadError) -> [FoaasOperation] {
        try await configured().operations.load().value.operations
    }

    /// Calls `completion` with the phrase at an address, or with `nil` when there is none. Called once, on any thread.
    public class func getFoaas(url: URL, completion: @escaping @Sendable (Foaas?) -> Void) {
        // Why there is none is what this form cannot say; the other one can.
        Task { completion(try? await getFoaas(url: url)) }
    }

    /// Calls `completion` with the operations, or with `nil` when there are none. Called once, on any thread.
    public class func getOperations(completion: @escaping @Sendable ([FoaasOperation]?) -> Void) {
        // Why there are none is what this form cannot say; the other one can.
        Task { completion(try? await getOperations()) }
    }

    private class func configured() throws(LoadError) -> FoaasService {
        guard let service = service.withLock({ $0 }) else {
            throw .connectivity(
                TransportError(.cannotConnect, "no server is set; call FoaasAPIManager.configure(_:) first"))
        }
        return service
    }
}
