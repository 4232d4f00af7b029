import Foundation
import HTTPServer

/// The access control of the server, which trusts no request.
///
/// - `Host` must be the server's own address, so that a page of another site cannot reach it by a name of its own
///   (DNS rebinding).
/// - `Origin`, if a browser sends it, must be the server's.
/// - A proxy before the server answers under addresses of its own (``WebOrigin``): their `Host` with their `Origin` count, too.
/// - The API requires the token, as `Authorization: Bearer`. A page takes it from the printed link and stores it in its
///   own storage. Servers on other ports cannot read that storage, unlike a cookie. A resource that the browser loads
///   without a script has a signed address (``SignedAddresses``).
struct Gate: Sendable {
    /// The server's own names: `127.0.0.1:8080`, `localhost:8080`.
    let hosts: Set<String>
    /// The port if the server listens on every address of the machine, else `nil`. Any numeric address is then the
    /// server's own. Names are not, because DNS rebinding works with names.
    let anyAddressPort: UInt16?
    /// `nil` when anyone who reaches the server may use it.
    let token: String?
    /// The users who are let in, in place of a token; `nil` if the server has one user only.
    let users: UserAccess?
    private let addresses: SignedAddresses
    private let origins: [WebOrigin]

    init(
        host: String, port: UInt16, token: String?, addresses: SignedAddresses, origins: [WebOrigin] = [],
        users: UserAccess? = nil
    ) {
        (self.origins, self.users) = (origins, users)
        let names: [String] =
            switch host {
            case "127.0.0.1", "::1", "localhost", "0.0.0.0", "::": ["127.0.0.1", "localhost", "[::1]"]
            default: [host.asURLHost]
            }
        // Browsers leave the port of `http` out.
        hosts = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
        anyAddressPort = host == "0.0.0.0" || host == "::" ? port : nil
        self.token = token
        self.addresses = addresses
    }

    /// True if everyone who reaches the server may use it.
    var isOpen: Bool { token == nil && users == nil }

    /// The answer to a request with a foreign host or origin; `nil` if the request has neither.
    func refusal(_ request: ServerRequest) -> ServerResponse? {
        guard let host = request.headers["Host"]?.lowercased() else { return .foreignHost }
        // A name has one scheme for its own server and another one for a proxy.
        let proxies = origins.filter { $0.hosts.contains(host) }.map { $0.origin }
        guard isOwn(host) || !proxies.isEmpty else { return .foreignHost }
        guard let origin = request.headers["Origin"]?.lowercased() else { return nil }
        let isAllowed = proxies.contains(origin) || (isOwn(host) && origin == "http://\(host)")
        return isAllowed ? nil : .problem(403, "forbidden", "requests of other sites are refused")
    }

    private func isOwn(_ host: String) -> Bool {
        if hosts.contains(host) { return true }
        guard let port = anyAddressPort, let url = URL(string: "http://\(host)"), let name = url.host(),
            url.port ?? 80 == Int(port), url.path().isEmpty, url.query() == nil, url.user() == nil
        else { return false }
        let isIPv4 =
            name.split(separator: ".", omittingEmptySubsequences: false).count == 4
            && name.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
        return isIPv4 || name.contains(":")
    }

    /// True if the request has the token, or is for an address that was signed with it. True also if there is no token. Users
    /// are let in by ``refusalOfStranger(_:)`` only.
    func admits(_ request: ServerRequest) -> Bool {
        guard users == nil else { return false }
        guard let token else { return true }
        // The scheme is case-insensitive (RFC 9110, 11.1).
        if let field = request.headers["Authorization"], field.lowercased().hasPrefix("bearer ") {
            return UserToken.equal(String(field.dropFirst(7)), token)
        }
        return addresses.admits(request)
    }

    /// The answer to a request without a valid token; `nil` if it has one, or none is needed.
    func refusalOfStranger(_ request: ServerRequest) -> ServerResponse? {
        guard let users else { return admits(request) ? nil : Self.wantsToken }
        do throws(UsersError) { if try users.visit(request) != nil { return nil } } catch {
            // The register is looked at below: it may be right again.
        }
        // A look at a store takes a while. Then the handler looks, before it reads the body. The server takes nothing of it until then.
        if !users.looksAtOnce, users.hasCredentials(request) { return nil }
        do throws(UsersError) {
            // The user may have been added a moment ago.
            users.refreshAtOnce()
            if try users.visit(request) != nil { return nil }
            return request.headers["Authorization"] == nil ? Self.noLink : Self.loggedOut
        } catch {
            return Self.refusal(for: error)
        }
    }

    /// True if the request is known to be of somebody who is let in.
    func knows(_ request: ServerRequest) -> Bool {
        guard let users else { return admits(request) }
        return (try? users.visit(request)) != nil  // while the register cannot be read nobody is known
    }

    private static var wantsToken: ServerResponse { .problem(401, "token", "open the link that aquifer serve printed") }
    /// The request has no token. An address that was signed with one may have expired.
    static var noLink: ServerResponse {
        .problem(401, "noLink", "open your link; ask the operator for one if you have none")
    }
    /// The token is none, or no longer one: that of a user who has logged out or was removed.
    static var loggedOut: ServerResponse {
        .problem(401, "loggedOut", "this link has ended; ask the operator for a new one")
    }
    /// The answer while a user cannot be let in, or nobody can.
    static func refusal(for error: UsersError) -> ServerResponse {
        switch error {
        case .leaving: .problem(409, "leaving", "the operator is removing this user; nothing was changed")
        case .store(let failure) where failure.isOutOfReach: outOfReach
        default: unusable
        }
    }
    /// The users cannot be reached from here. Another replica may reach them: a proxy takes 503 for a reason to ask it.
    static var outOfReach: ServerResponse {
        var response = ServerResponse.problem(
            503, "users", "the server cannot reach its store now; try again in a moment")
        response.headers["Retry-After"] = "2"
        return response
    }
    /// Nobody can be let in. The reason is for the operator, who finds it with `aquifer users list`. Not 503: every replica would be asked
    /// in vain.
    static var unusable: ServerResponse { .problem(500, "users", "the users cannot be read now; tell the operator") }
}

extension ServerResponse {
    fileprivate static let foreignHost = problem(403, "forbidden", "this server answers only under its own address")

    /// An error in the pages' format: `{"error":{"kind":…,"message":…}}`.
    static func problem(_ status: Int, _ kind: String, _ message: String) -> ServerResponse {
        .json(["error": ScreenError(kind: kind, message: message)], status: status)
    }

    /// A value as JSON.
    static func json(_ value: some Encodable, status: Int = 200) -> ServerResponse {
        .json(WireJSON.data(value), status: status)
    }

    /// This answer with the security headers of every answer.
    func hardened() -> ServerResponse {
        var response = self
        // The policy of relayed bytes is stricter than the policy of the pages.
        let own = response.headers["Content-Security-Policy"]
        response.headers.set(Self.protections)
        if let own { response.headers["Content-Security-Policy"] = own }
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        return response
    }

    private static let protections: HTTPHeaders = [
        "Content-Security-Policy":
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
            + "manifest-src 'self'; font-src 'self'; media-src 'self' blob:; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    ]
}
