import Foundation
import HTTPServer

/// Who may come in: the server trusts nobody.
///
/// - `Host` must be the server's own address, so that a page of another site cannot reach it by a name of its own
///   (DNS rebinding).
/// - `Origin`, where a browser sends one, must be the server's.
/// - The API wants the token, from the cookie that the printed link sets, or as `Authorization: Bearer`.
struct Gate: Sendable {
    /// The server's own names: `127.0.0.1:8080`, `localhost:8080`.
    let hosts: Set<String>
    /// The port, where the server listens on every address of the machine: then any address of numbers is its own. A name
    /// is not, for names are what DNS rebinding works with.
    let anyAddressPort: UInt16?
    /// `nil` when anyone who reaches the server may use it.
    let token: String?
    let cookie: String

    init(host: String, port: UInt16, token: String?) {
        let names: [String] =
            switch host {
            case "127.0.0.1", "::1", "localhost", "0.0.0.0", "::": ["127.0.0.1", "localhost", "[::1]"]
            default: [host.contains(":") ? "[\(host)]" : host]
            }
        // Browsers leave the port of `http` out.
        hosts = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
        anyAddressPort = host == "0.0.0.0" || host == "::" ? port : nil
        self.token = token
        // Cookies know no ports: the name tells two servers on one machine apart.
        cookie = "aquifer-\(port)"
    }

    /// Why a request is refused before anything else; `nil` when it is not.
    func refusal(_ request: ServerRequest) -> ServerResponse? {
        guard let host = request.headers["Host"]?.lowercased(), isOwn(host) else {
            return .problem(403, "forbidden", "this server answers only under its own address")
        }
        if let origin = request.headers["Origin"]?.lowercased(), origin != "http://\(host)" {
            return .problem(403, "forbidden", "requests of other sites are refused")
        }
        return nil
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

    /// Whether the request shows the token.
    func admits(_ request: ServerRequest) -> Bool {
        guard let token else { return true }
        if let bearer = request.headers["Authorization"], bearer.hasPrefix("Bearer ") {
            return Self.equal(String(bearer.dropFirst(7)), token)
        }
        let cookies = request.headers["Cookie"]?.split(separator: ";") ?? []
        return cookies.contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return parts.count == 2 && parts[0] == cookie && Self.equal(parts[1], token)
        }
    }

    /// The answer to the printed link: sets the cookie and leads to the page without the token in its address.
    func welcome(_ request: ServerRequest) -> ServerResponse? {
        guard let token, let given = request.queryValue("token"), Self.equal(given, token) else { return nil }
        var response = ServerResponse.redirect(to: request.rawPath.hasPrefix("//") ? "/" : request.rawPath)
        response.headers["Set-Cookie"] = "\(cookie)=\(token); HttpOnly; SameSite=Strict; Path=/"
        return response
    }

    /// Compares in a time that does not tell how much was right.
    private static func equal(_ a: String, _ b: String) -> Bool {
        let a = Array(a.utf8)
        let b = Array(b.utf8)
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// A token of 128 random bits.
    static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in String(generator.next(), radix: 36) }.joined()
    }
}

extension ServerResponse {
    /// An error as the pages understand it: `{"error":{"kind":…,"message":…}}`.
    static func problem(_ status: Int, _ kind: String, _ message: String) -> ServerResponse {
        .json(.object([("error", .object([("kind", .string(kind)), ("message", .string(message))]))]), status: status)
    }

    static func json(_ json: JSONText, status: Int = 200) -> ServerResponse {
        .json(Data(json.text.utf8), status: status)
    }

    /// What every answer says to browsers.
    func hardened() -> ServerResponse {
        var response = self
        response.headers.set(Self.protections)
        if response.headers["Cache-Control"] == nil { response.headers["Cache-Control"] = "no-store" }
        return response
    }

    private static let protections: ServerHeaders = [
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
