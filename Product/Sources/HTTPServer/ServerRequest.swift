import Foundation

/// A request as it came from a client.
public struct ServerRequest: Sendable {
    /// The method as it was written: `GET`.
    public let method: HTTPMethod
    /// The path, percent-decoded: `/v1/feed`. Not for finding files: `%2F` has become `/` in it.
    public let path: String
    /// The path as it was written.
    public let rawPath: String
    /// The items of the query, decoded, in order. An item without `=` has an empty value.
    public let query: [(name: String, value: String)]
    /// The header fields, in order.
    public let headers: HTTPHeaders
    /// The client's numeric address, without a port.
    public let remoteAddress: String
    /// The body as it arrives.
    public let body: ServerRequestBody

    /// A request made by hand, so that a handler can be tried without a socket.
    ///
    /// - Parameter target: the path and query, percent-encoded: `/v1/feed?limit=10`.
    public init(
        _ method: HTTPMethod = .get, _ target: String, headers: HTTPHeaders = [:], body: Data = Data(),
        remoteAddress: String = "127.0.0.1"
    ) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            .map(Substring.init)
        self.init(
            method: method, rawPath: String(parts[0]),
            query: parts.count > 1 ? PercentEncoding.decodeQuery(parts[1]) : [], headers: headers,
            remoteAddress: remoteAddress, body: body.isEmpty ? .empty : ServerRequestBody([body]))
    }

    /// The same request with its body.
    func with(body: ServerRequestBody) -> ServerRequest {
        ServerRequest(
            method: method, rawPath: rawPath, query: query, headers: headers, remoteAddress: remoteAddress, body: body)
    }

    init(
        method: HTTPMethod, rawPath: String, query: [(name: String, value: String)], headers: HTTPHeaders,
        remoteAddress: String, body: ServerRequestBody
    ) {
        self.method = method
        self.rawPath = rawPath
        path = PercentEncoding.decode(rawPath)
        self.query = query
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.body = body
    }

    /// The value of the first query item of this name.
    public func queryValue(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
