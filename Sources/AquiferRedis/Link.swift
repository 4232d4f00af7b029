import AquiferCRedis
import AquiferFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection: commands are sent without waiting for the answers of those before. For the loop's thread.
final class Link {
    private let context: UnsafeMutablePointer<redisContext>
    private(set) var inFlight: [Request] = []
    /// The requests before this place were answered.
    private var answered = 0
    private var unsent = Data()
    private(set) var failure = "the connection was closed"
    /// The answers that no request waits for: messages of a subscription.
    var messages: [Reply] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    /// Takes a connection over that blocks no more.
    init(owning context: UnsafeMutablePointer<redisContext>) { self.context = context }

    deinit { redisFree(context) }

    var descriptor: Int32 { context.pointee.fd }
    /// True while the system has not taken everything that was sent.
    var isBlocked: Bool { !unsent.isEmpty }
    var isFull: Bool { inFlight.count - answered >= 10_000 }
    /// The earliest moment at which the caller of a request has waited for long enough.
    var deadline: ContinuousClock.Instant? { inFlight.dropFirst(answered).lazy.map(\.deadline).min() }

    func send(_ request: Request) {
        request.replies = []
        request.attempts += 1
        inFlight.append(request)
        for command in request.commands { unsent.append(command.bytes) }
    }

    /// Gives the system what it takes now.
    ///
    /// - Returns: false if the connection has broken.
    func flush() -> Bool {
        while !unsent.isEmpty {
            let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN || `break`(with: String(cString: strerror(errno)))
            }
            unsent = count == unsent.count ? Data() : Data(unsent.dropFirst(count))
        }
        return true
    }

    /// Reads what has arrived, and answers requests.
    ///
    /// - Returns: false if the connection has broken.
    func receive() -> Bool {
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return `break`(with: "the server has closed the connection") }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN || `break`(with: String(cString: strerror(errno)))
            }
            let isFed = buffer.withUnsafeBytes {
                redisReaderFeed(context.pointee.reader, $0.bindMemory(to: CChar.self).baseAddress, count)
            }
            guard isFed == REDIS_OK, takeReplies() else { return `break`(with: "an answer that is none of Redis's") }
            if count < buffer.count { return true }
        }
    }

    private func takeReplies() -> Bool {
        while true {
            var found: UnsafeMutableRawPointer?
            guard redisReaderGetReply(context.pointee.reader, &found) == REDIS_OK else { return false }
            guard let found else { return true }
            let reply = Reply(found.assumingMemoryBound(to: redisReply.self))
            freeReplyObject(found)
            guard answered < inFlight.count else {
                messages.append(reply)
                continue
            }
            if inFlight[answered].take(reply) { answered += 1 }
            if answered > 1_000 || answered == inFlight.count {
                inFlight.removeFirst(answered)
                answered = 0
            }
        }
    }

    private func `break`(with reason: String) -> Bool {
        failure = reason
        return false
    }

    /// Takes out all requests whose answers have not come.
    func abandon() -> [Request] {
        defer { inFlight = [] }
        return Array(inFlight.dropFirst(answered))
    }
}
