import Aquifer
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponseHead {
    /// The head of an answer of `URLSession`, for a client or a test of your own over it; `nil` if it has no address.
    ///
    /// `URLSession` decodes compressed bodies itself. The head of such an answer has neither `Content-Encoding` nor
    /// `Content-Length`, because both describe the bytes before they were decoded. Fields that were sent several times
    /// arrive as one, and the order of the fields is not known.
    public init?(_ response: HTTPURLResponse) {
        guard let url = response.url else { return nil }
        var headers = HTTPHeaders()
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String {
                headers.add(name, value.trimmingCharacters(in: .whitespaces))
            }
        }
        if !headers.contentCodings.isEmpty {
            headers["Content-Encoding"] = nil
            headers["Content-Length"] = nil
        }
        self.init(status: response.statusCode, headers: headers, url: url)
    }
}
