import Foundation

extension HTTPRequest {
    /// The request that follows a redirect (RFC 9110, 15.4); `nil` if the answer itself is delivered.
    ///
    /// The answer is delivered when it is no redirect, when this request follows none (``followsRedirects``), and when
    /// the redirect would send the body to another origin. Both clients of this package use this method, so that they
    /// follow the same rules.
    ///
    /// - Throws: `.tooManyRedirects` when it leads to another scheme than `http(s)`, or from `https` to `http`.
    package func redirected(by head: HTTPResponseHead) throws(TransportError) -> HTTPRequest? {
        guard followsRedirects, HTTPStatus.isRedirect(head.status),
            let location = head.headers["Location"]
        else { return nil }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let scheme = target.scheme?.lowercased()
        else { throw TransportError(.malformed, "a redirect to what is not a URL") }
        guard scheme == "https" || (scheme == "http" && url.scheme?.lowercased() == "http") else {
            throw TransportError(.tooManyRedirects, "a redirect from \(url.scheme ?? "") to \(scheme)")
        }
        var next = self
        next.url = target
        if becomesGet(after: head.status) {
            next.method = .get
            next.followsRedirects = true
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] { next.headers[name] = nil }
        }
        if !target.hasSameOrigin(as: url) {
            guard next.body == nil else { return nil }
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] { next.headers[name] = nil }
        }
        return next
    }

    /// A 303 always changes the method to `GET`; by custom, 301 and 302 do so for a `POST`.
    private func becomesGet(after status: Int) -> Bool {
        switch status {
        case 303: method != .head
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
