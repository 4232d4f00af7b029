import AquiferFoundation

/// The request of a transfer.
enum DownloadQuestion: Sendable, Equatable {
    /// The whole content.
    case all
    /// The whole content, decoded by the client: its server sends it coded, asked for or not.
    case decoded
    /// The whole content, unless these validators still match.
    case ifChanged(Validators)
    /// The bytes after the first `from`, if the tag still matches (RFC 9110, 13.1.5 and 14.2).
    case rest(from: Int, tag: String, total: Int?)

    /// The HTTP request. It asks for no compression, because ranges count the bytes that are stored.
    func request(_ url: URL) -> HTTPRequest {
        var request = HTTPRequest(.get, url, headers: ["Accept-Encoding": "identity"])
        switch self {
        case .all: break
        case .decoded: request.headers["Accept-Encoding"] = nil
        case .ifChanged(let validators):
            if let etag = validators.etag { request.headers["If-None-Match"] = etag }
            if let date = validators.lastModified { request.headers["If-Modified-Since"] = date }
        case .rest(let start, let tag, _):
            request.headers["Range"] = "bytes=\(start)-"
            request.headers["If-Range"] = tag
        }
        return request
    }
}

/// The meaning of an answer's head for a transfer.
enum DownloadAnswer: Sendable, Equatable {
    /// The body is the whole content; `total` is its length in bytes, if the server announces it.
    case all(total: Int?)
    /// The body is coded.
    case coded
    /// The body is the missing bytes, up to `end`.
    case rest(end: Int, total: Int?)
    /// The saved file is still the latest.
    case unchanged
    /// All bytes are on disk already.
    case nothingLeft
    /// The bytes on disk do not belong to the server's content: request the whole content.
    case startOver
    /// The answer does not follow the contract.
    case refused(InvalidData)

    init(_ head: HTTPResponseHead, to question: DownloadQuestion) {
        switch (head.status, question) {
        case (200, .decoded) where head.isEncoded: self = .refused(.compressed)
        case (200, _) where head.isEncoded: self = .coded
        // Some servers send what `Range` asked for with the status of the whole.
        case (200, .rest) where head.isPart: self = Self.part(head, question)
        case (200, _) where head.isPart: self = .refused(.body("a part of the content in place of the whole"))
        case (200, _): self = .all(total: head.contentLength)
        case (206, .rest): self = head.isEncoded ? .startOver : Self.part(head, question)
        case (304, .ifChanged(let sent)): self = sent.areConfirmed(by: head) ? .unchanged : .startOver
        case (416, .rest(_, let tag, _)) where Self.tags(head, as: tag).contains { $0 != tag }: self = .startOver
        case (416, .rest(let start, _, let total)):
            let size = ContentRange(head.headers.single("Content-Range"))?.total
            self = size == start && (total ?? start) == start ? .nothingLeft : .startOver
        default: self = .refused(.status(head.status))
        }
    }

    /// A partial answer is accepted if it begins where the bytes on disk end, and agrees with the known length and tag.
    private static func part(_ head: HTTPResponseHead, _ question: DownloadQuestion) -> DownloadAnswer {
        guard case .rest(let start, let tag, let total) = question,
            let range = ContentRange(head.headers.single("Content-Range")),
            let bytes = range.bytes, bytes.lowerBound == start
        else { return .startOver }
        if let total, let size = range.total, size != total { return .startOver }
        let size = range.total ?? total
        if let size, bytes.upperBound > size { return .startOver }
        if Set(tags(head, as: tag)) != [tag] { return .startOver }
        return .rest(end: bytes.upperBound, total: size)
    }

    /// The fields of an answer of the kind that the tag of the bytes on disk came from. A part has its `ETag` (RFC 9110, 15.3.7), and another value
    /// beside it or in its place, or none, is that of other content. A server must not answer so (13.1.5), and some do, because they pass over `If-Range`. Those that leave a
    /// date out cost a whole transfer.
    private static func tags(_ head: HTTPResponseHead, as tag: String) -> [String] {
        head.headers.values(of: tag.hasPrefix("\"") ? "ETag" : "Last-Modified")
    }
}

extension HTTPResponseHead {
    /// True if the answer says that its body is only some of the content.
    fileprivate var isPart: Bool {
        guard let range = ContentRange(headers.single("Content-Range")), let bytes = range.bytes else { return false }
        if let contentLength, contentLength == range.total { return false }
        return bytes.lowerBound > 0 || bytes.upperBound < range.total ?? 0
    }

    /// The `If-Range` value for a later request; `nil` if this answer cannot be resumed. A weak `ETag` may stand for
    /// other bytes too. So may a `Last-Modified` less than a second older than the answer, or of an answer without a
    /// `Date` (RFC 9110, 8.8.2.2 and 13.1.5).
    var resumeTag: String? {
        if headers.count(of: "ETag") > 0 {
            guard let etag = headers.single("ETag") else { return nil }
            let fit = Validators(etag: etag).fitToSend.etag
            return etag.count >= 2 && etag.first == "\"" && etag.last == "\"" ? fit : nil
        }
        guard let field = headers.single("Last-Modified"), field.canBeSentBack, let modified = HTTPDate.parse(field),
            let sent = headers["Date"].flatMap(HTTPDate.parse), sent.timeIntervalSince(modified) >= 1
        else { return nil }
        return field
    }
}
