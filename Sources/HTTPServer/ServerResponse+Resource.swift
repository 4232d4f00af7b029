import Foundation

extension ServerResponse {
    /// An answer with this content, as the request's conditions and range want it (RFC 9110, 13 and 14).
    ///
    /// 304 when `If-None-Match` or, without it, `If-Modified-Since` says that the client has it already; 206 for a
    /// single satisfiable `Range` of a `GET` whose `If-Range` holds; 416 for one outside; else 200 with all of it.
    ///
    /// - Parameter etag: the entity tag; quotes are added where there are none.
    public static func resource(
        _ data: Data, contentType: String, etag: String? = nil, lastModified: Date? = nil, headers: HTTPHeaders = [:],
        for request: ServerRequest
    ) -> ServerResponse {
        resource(
            length: UInt64(data.count), contentType: contentType, etag: etag, lastModified: lastModified,
            headers: headers, for: request
        ) { part in
            let start = data.startIndex + Int(part.lowerBound)
            return .bytes(data[start..<start + part.count])
        }
    }

    /// The same for content that `body` cuts out of something `length` bytes long, such as a file.
    public static func resource(
        length: UInt64, contentType: String, etag: String? = nil, lastModified: Date? = nil,
        headers: HTTPHeaders = [:], for request: ServerRequest, body: (Range<UInt64>) -> Body
    ) -> ServerResponse {
        let tag = etag.map { $0.hasSuffix("\"") ? $0 : "\"\($0)\"" }
        var response = ServerResponse(headers: headers)
        response.headers["ETag"] = tag
        response.headers["Last-Modified"] = lastModified.map(HTTPDate.format)
        guard !isKnown(to: request, tag: tag, lastModified: lastModified) else {
            response.status = 304
            return response
        }
        response.headers["Content-Type"] = contentType
        response.headers["Accept-Ranges"] = "bytes"
        let asked =
            request.method == "GET" && holds(ifRange: request.headers["If-Range"], tag: tag, lastModified: lastModified)
            ? request.headers["Range"] : nil
        switch ByteRange(asked, length: length) {
        case .whole:
            response.body = body(0..<length)
        case .part(let part):
            response.status = 206
            response.headers["Content-Range"] = ContentRange.text(part, of: length)
            response.body = body(part)
        case .unsatisfiable:
            response.status = 416
            response.headers["Content-Range"] = ContentRange.text(nil, of: length)
            response.headers["Content-Type"] = nil
        }
        return response
    }

    private static func isKnown(to request: ServerRequest, tag: String?, lastModified: Date?) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        let conditions = request.headers.values(of: "If-None-Match")
        if !conditions.isEmpty {
            return conditions.contains { condition in
                condition.split(separator: ",").contains { candidate in
                    let candidate = candidate.trimmingCharacters(in: .whitespaces)
                    return candidate == "*" || tag.map { $0.opaqueTag == candidate.opaqueTag } ?? false
                }
            }
        }
        guard let since = request.headers["If-Modified-Since"].flatMap(HTTPDate.parse), let lastModified else {
            return false
        }
        return lastModified.timeIntervalSince1970.rounded(.down) <= since.timeIntervalSince1970
    }

    /// `If-Range` compares strongly: a weak tag never matches.
    private static func holds(ifRange: String?, tag: String?, lastModified: Date?) -> Bool {
        guard let ifRange else { return true }
        if ifRange.hasSuffix("\"") { return ifRange == tag && !ifRange.hasPrefix("W/") }
        return lastModified.map { HTTPDate.format($0) == ifRange } ?? false
    }
}

extension String {
    /// The tag without its mark of weakness: what `If-None-Match` compares.
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
