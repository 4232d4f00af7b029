/// Why a multipart body could not be read.
public enum MultipartError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The request is not `multipart/form-data`.
    case notMultipart
    /// The bytes do not follow RFC 2046 or RFC 7578; the reason says where.
    case malformed(String)
    /// The body ended before its closing boundary.
    case truncated
    /// The head of a part, or the line of a boundary, is longer than this many bytes.
    case headTooLarge(limit: Int)
    /// There are more parts than this.
    case tooManyParts(limit: Int)
    /// A part that was collected is longer than this many bytes.
    case partTooLarge(limit: Int)
    /// The request's body could not be read.
    case body(ServerBodyError)

    /// The status that says so: 400, 413 or 415.
    public var status: Int {
        switch self {
        case .notMultipart: 415
        case .malformed, .truncated: 400
        case .headTooLarge, .tooManyParts, .partTooLarge: 413
        case .body(.tooLarge): 413
        case .body: 400
        }
    }

    /// The fault in words, for the sender.
    public var description: String {
        switch self {
        case .notMultipart: "send multipart/form-data"
        case .malformed(let reason): "the multipart body is malformed: \(reason)"
        case .truncated: "the multipart body ends before its closing boundary"
        case .headTooLarge(let limit): "the head of a part takes more than \(limit) bytes"
        case .tooManyParts(let limit): "there are more than \(limit) parts"
        case .partTooLarge(let limit): "a part takes more than \(limit) bytes"
        case .body(let error): error.description
        }
    }
}
