import Foundation

/// An address under which a proxy before the server answers, as browsers write it in `Origin`: a scheme, a host, and a port that is not
/// the usual one of the scheme.
public struct WebOrigin: Sendable, Hashable {
    /// The address as browsers write it, in small letters.
    public let origin: String
    /// The values of `Host` that belong to it: browsers leave the usual port out, and some proxies write it.
    let hosts: Set<String>

    /// `http://host[:port]` or `https://host[:port]`; `nil` for anything else, such as an address with a path.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard let url = URLComponents(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
            let name = url.host, !name.isEmpty, ["", "/"].contains(url.path), url.query == nil, url.fragment == nil,
            url.user == nil, url.password == nil, url.port.map({ (1...65535).contains($0) }) ?? true,
            !name.contains(where: { $0.isWhitespace || "%*,;".contains($0) })
        else { return nil }
        let usual = scheme == "https" ? 443 : 80
        let port = url.port ?? usual
        origin = port == usual ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
        hosts = port == usual ? [name, "\(name):\(port)"] : ["\(name):\(port)"]
    }
}
