import Aquifer
import Foundation

extension HTTPRequest {
    /// The request that an answer redirects this one to, or `nil` if the answer is final (RFC 9110, 15.4).
    ///
    /// - Throws: `.tooManyRedirects` when it leads to another scheme than `http(s)`, or from `https` to `http`.
    func redirected(by head: HTTPResponseHead) throws(TransportError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(head.status), let location = head.headers["Location"] else {
            return nil
        }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let scheme = target.scheme?.lowercased()
        else { throw TransportError(.malformed, "a redirect to what is not a URL") }
        guard scheme == "https" || (scheme == "http" && url.scheme?.lowercased() == "http") else {
            throw TransportError(.tooManyRedirects, "a redirect from \(url.scheme ?? "") to \(scheme)")
        }
        var next = self
        next.url = target
        if becomesGet(after: head.status) {
            next.method = .get
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] { next.headers[name] = nil }
        }
        if !target.hasSameOrigin(as: url) {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers[name] = nil }
        }
        return next
    }

    /// 303 always asks for a `GET`; 301 and 302 have come to mean it for a `POST`.
    private func becomesGet(after status: Int) -> Bool {
        switch status {
        case 303: method != "HEAD"
        case 301, 302: method == .post
        default: false
        }
    }
}

extension URL {
    fileprivate func hasSameOrigin(as other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host?.lowercased() == other.host?.lowercased()
            && portOrDefault == other.portOrDefault
    }

    private var portOrDefault: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}
