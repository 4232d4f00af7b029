import Aquifer
import AquiferFoundation

/// The two calls to the remote, as the specification names them.
///
/// It is no singleton: all functions are the class' own. Each completion form calls its `async` form; new code calls
/// those.
///
/// The app sets the client of the server once, when it starts: ``configure(_:)``. The server is ``server`` unless the
/// service names another. A call that comes earlier waits for the configuration. So a screen that is quicker than the
/// app's delegate gets its answer, too.
public final class FoaasAPIManager {
    /// The server of the specification, `http://www.foaas.com`.
    public static let server = FoaasService.server

    /// The process has one. A test gives the calls that it makes one of their own.
    @TaskLocal static var setting = FoaasSetting()

    private init() {}

    /// Sets the service that is asked from now on, also by the calls that wait for it.
    public class func configure(_ service: FoaasService) { setting.set(service) }

    /// Sets the client by which ``server`` is asked from now on.
    ///
    /// - Parameters:
    ///   - client: carries out the requests.
    ///   - store: keeps the operations, the last phrases and the settings. Nothing may expire or evict its entries.
    ///   - retry: the policy by which a failed request is tried again.
    public class func configure(client: any HTTPClient, store: any CacheStore, retry: RetryPolicy = .never) {
        configure(FoaasService(client: client, store: store, ownStore: store, retry: retry))
    }

    /// The phrase at an address of the remote.
    ///
    /// - Throws: `LoadError`; `.connectivity` also when nothing has been configured for ten seconds.
    public class func getFoaas(url: URL) async throws(LoadError) -> Foaas {
        try await setting.service().foaas(at: url)
    }

    /// The operations: the latest, saved; offline those saved less than seven days ago.
    ///
    /// - Throws: `LoadError`; `.connectivity` also when nothing has been configured for ten seconds.
    public class func getOperations() async throws(LoadError) -> [FoaasOperation] {
        try await loadOperations().value.operations
    }

    /// The same operations, with their source, their age, and the number of those that could not be read.
    ///
    /// - Throws: `LoadError`; `.connectivity` also when nothing has been configured for ten seconds.
    public class func loadOperations() async throws(LoadError) -> Loaded<FoaasOperations> {
        try await setting.service().loadOperations()
    }

    /// Calls `completion` with the phrase at an address, or with `nil` when there is none. Called once, on any thread.
    public class func getFoaas(url: URL, completion: @escaping @Sendable (Foaas?) -> Void) {
        // This form cannot tell the reason for `nil`; the other one can.
        Task { completion(try? await getFoaas(url: url)) }
    }

    /// Calls `completion` with the operations, or with `nil` when there are none. Called once, on any thread.
    public class func getOperations(completion: @escaping @Sendable ([FoaasOperation]?) -> Void) {
        // This form cannot tell the reason for `nil`; the other one can.
        Task { completion(try? await getOperations()) }
    }
}
