import AquiferCRedis
import AquiferFoundation

/// A command as the server takes it.
struct Command: Sendable {
    let bytes: Data

    /// A command of a name and arguments.
    init(_ words: [Data]) {
        bytes = Self.withPointers(words) { pointers, lengths in
            var text: UnsafeMutablePointer<CChar>?
            var pointers = pointers
            let length = redisFormatCommandArgv(&text, Int32(lengths.count), &pointers, lengths)
            defer { redisFreeCommand(text) }
            guard let text, length > 0 else { return Data() }
            return Data(bytes: text, count: Int(length))
        }
    }

    init(_ words: String...) { self.init(words.map { Data($0.utf8) }) }

    /// Calls `body` with the places of all words.
    private static func withPointers<Result>(
        _ words: [Data], _ body: ([UnsafePointer<CChar>?], [Int]) -> Result
    ) -> Result {
        var (pointers, lengths) = ([UnsafePointer<CChar>?](), [Int]())
        func add(_ place: Int) -> Result {
            guard place < words.count else { return body(pointers, lengths) }
            return words[place].withUnsafeBytes { raw in
                pointers.append(raw.bindMemory(to: CChar.self).baseAddress)
                lengths.append(raw.count)
                return add(place + 1)
            }
        }
        return add(0)
    }
}

/// An answer of the server.
enum Reply: Sendable, Hashable {
    case nothing
    case integer(Int64)
    case bytes(Data)
    case status(String)
    case error(String)
    case list([Reply])

    /// Copies an answer of hiredis.
    init(_ reply: UnsafePointer<redisReply>) {
        let found = reply.pointee
        let bytes = found.str.map { Data(bytes: $0, count: found.len) } ?? Data()
        switch found.type {
        case REDIS_REPLY_INTEGER: self = .integer(found.integer)
        case REDIS_REPLY_STRING: self = .bytes(bytes)
        case REDIS_REPLY_STATUS: self = .status(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            self = .list((0..<found.elements).map { found.element[$0].map { Reply($0) } ?? .nothing })
        default: self = .nothing
        }
    }

    var data: Data? { if case .bytes(let data) = self { data } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var list: [Reply] { if case .list(let replies) = self { replies } else { [] } }
    var text: String { data.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
