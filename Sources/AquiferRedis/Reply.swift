import AquiferCRedis
import AquiferFoundation

/// An answer of the server.
enum Reply: Sendable, Hashable {
    case nothing
    case integer(Int64)
    case bytes(Data)
    /// A value with an entry: all that is before its bytes, and these.
    case value(head: Data, bytes: Data)
    case status(String)
    case error(String)
    case list([Reply])

    var data: Data? {
        switch self {
        case .bytes(let data): data
        case .value(let head, let bytes): head + bytes
        default: nil
        }
    }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var list: [Reply] { if case .list(let replies) = self { replies } else { [] } }
    var text: String { data.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension Reply {
    /// Copies an answer of hiredis.
    init(_ reply: UnsafePointer<redisReply>) {
        let found = reply.pointee
        let bytes = UnsafeRawBufferPointer(start: found.str, count: found.str == nil ? 0 : Int(found.len))
        switch found.type {
        case REDIS_REPLY_INTEGER: self = .integer(found.integer)
        case REDIS_REPLY_ARRAY:
            self = .list((0..<Int(found.elements)).map { found.element[$0].map { Reply($0) } ?? .nothing })
        default: self.init(found.type, bytes)
        }
    }

    fileprivate init(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) {
        switch kind {
        case REDIS_REPLY_STRING:
            if let length = Value.lengthBeforeBytes(bytes) {
                // `Data` copies a slice byte by byte, and a buffer at once.
                self = .value(
                    head: Data(UnsafeRawBufferPointer(rebasing: bytes[..<length])),
                    bytes: Data(UnsafeRawBufferPointer(rebasing: bytes[length...])))
            } else {
                self = .bytes(Data(bytes))
            }
        case REDIS_REPLY_STATUS: self = .status(String(decoding: bytes, as: UTF8.self))
        case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
        default: self = .nothing
        }
    }
}

/// Makes replies of what hiredis reads, without its own objects in between.
enum ReplyMaking {
    /// Lets a reader make replies. It must not be in the middle of one.
    static func begin(_ reader: UnsafeMutablePointer<redisReader>) { reader.pointee.fn = functions }

    /// The next reply of a reader; `nil` if it has not arrived.
    ///
    /// - Throws: ``Strange`` if what has arrived is no reply.
    static func next(_ reader: UnsafeMutablePointer<redisReader>) throws(Strange) -> Reply? {
        var found: UnsafeMutableRawPointer?
        guard redisReaderGetReply(reader, &found) == REDIS_OK else { throw Strange() }
        return found.map { Unmanaged<Node>.fromOpaque($0).takeRetainedValue().reply }
    }

    struct Strange: Error {}

    /// A reply of its own, or a list while it is being read.
    private final class Node {
        private let own: Reply?
        private var replies: [Reply] = []
        /// The lists in this one, with their places.
        private var lists: [(place: Int, list: Node)] = []

        init(_ own: Reply) { self.own = own }

        init(room count: Int) {
            own = nil
            replies.reserveCapacity(min(count, 1_000))
        }

        func add(_ reply: Reply) { replies.append(reply) }

        func add(_ list: Node) {
            lists.append((replies.count, list))
            replies.append(.nothing)
        }

        var reply: Reply {
            if let own { return own }
            for (place, list) in lists { replies[place] = list.reply }
            return .list(replies)
        }
    }

    /// Nobody changes them after they were made.
    private nonisolated(unsafe) static let functions = {
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        functions.initialize(to: redisReplyObjectFunctions())
        functions.pointee.createString = { task, start, count in
            guard let task else { return nil }
            return place(Reply(task.pointee.type, UnsafeRawBufferPointer(start: start, count: Int(count))), task)
        }
        functions.pointee.createArray = { task, count in
            guard let task else { return nil }
            let list = Node(room: Int(count))
            guard let parent = parent(task) else { return Unmanaged.passRetained(list).toOpaque() }
            // Its parent keeps it.
            parent.add(list)
            return Unmanaged.passUnretained(list).toOpaque()
        }
        functions.pointee.createInteger = { task, number in task.flatMap { place(.integer(number), $0) } }
        functions.pointee.createNil = { task in task.flatMap { place(.nothing, $0) } }
        functions.pointee.freeObject = { root in root.map { Unmanaged<Node>.fromOpaque($0).release() } }
        return functions
    }()

    /// Puts a reply into its list. The reader looks at the result of one without a list only.
    private static func place(_ reply: Reply, _ task: UnsafePointer<redisReadTask>) -> UnsafeMutableRawPointer? {
        guard let parent = parent(task) else { return Unmanaged.passRetained(Node(reply)).toOpaque() }
        parent.add(reply)
        return Unmanaged.passUnretained(parent).toOpaque()
    }

    private static func parent(_ task: UnsafePointer<redisReadTask>) -> Node? {
        task.pointee.parent?.pointee.obj.map { Unmanaged<Node>.fromOpaque($0).takeUnretainedValue() }
    }
}
