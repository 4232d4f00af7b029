import Aquifer
import AquiferFoundation

/// The requests of the contract (`docs/reference/foaas.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /operations`.
    public static func foaasOperations(_ base: URL) -> HTTPRequest {
        foaas(base.appending(path: "operations"))
    }

    /// `GET` of a phrase. It asks for JSON: the remote answers HTML otherwise.
    public static func foaas(_ url: URL) -> HTTPRequest {
        HTTPRequest(.get, url, headers: ["Accept": "application/json"])
    }
}
