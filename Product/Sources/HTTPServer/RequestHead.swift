import Foundation

/// The faults of a request's head that libmicrohttpd lets pass.
///
/// A server and a proxy before it must agree where a request ends and whom it is for. A head that can be read in two ways is
/// refused (RFC 9112, 3.2, 5.1, 6.3 and 11.2), so that no second request can be hidden in the body of the first.
enum RequestHead {
    /// Fields that say where a request ends, whom it is for and who sent it: two of one name contradict each other, or
    /// will do so as soon as somebody merges them.
    private static let single = [
        "Host", "Content-Length", "Transfer-Encoding", "Authorization", "Origin", "Expect", "Content-Type",
    ]

    /// The reason to answer 400; `nil` when there is none.
    ///
    /// - Parameter target: the request's target as it was written, without its query.
    static func fault(method: String, target: String, version: String, headers: HTTPHeaders) -> String? {
        guard method.isToken else { return "the method is no token" }
        for field in headers.fields {
            guard field.name.isToken else { return "a header's name is no token" }
            guard isText(field.value) else { return "a header's value has control characters" }
        }
        for name in single where headers.count(of: name) > 1 { return "two \(name) headers" }
        return lengthFault(version, headers) ?? targetFault(target, headers["Host"])
    }

    private static func lengthFault(_ version: String, _ headers: HTTPHeaders) -> String? {
        if let coding = headers["Transfer-Encoding"] {
            guard headers["Content-Length"] == nil else { return "Content-Length beside Transfer-Encoding" }
            guard version != "HTTP/1.0" else { return "Transfer-Encoding in a request of HTTP/1.0" }
            guard coding.equalsIgnoringASCIICase("chunked") else { return "the only Transfer-Encoding here is chunked" }
        }
        guard let length = headers["Content-Length"] else { return nil }
        let isNumber = !length.isEmpty && length.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? nil : "Content-Length is no number"
    }

    /// A whole URL as the target names a host of its own: it must be the header's.
    private static func targetFault(_ target: String, _ host: String?) -> String? {
        if target.hasPrefix("/") || target == "*" { return nil }
        guard let scheme = target.range(of: "://") else { return "the target is no path" }
        let authority = target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let isSame = host.map { $0.equalsIgnoringASCIICase(String(authority)) } ?? true
        return isSame ? nil : "the target's host is not the Host"
    }

    private static func isText(_ text: String) -> Bool {
        !text.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
    }
}
