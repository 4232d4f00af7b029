import AquiferCRedis
import AquiferConcurrency
import AquiferFoundation

/// One connection: commands are sent without waiting for the answers of those before. For who has the loop's turn.
final class Link {
    private let context: UnsafeMutablePointer<redisContext>
    private(set) var inFlight: [Request] = []
    /// The requests before this place were answered.
    private var answered = 0
    private var unsent: [UInt8] = []
    /// The system has taken the bytes before this place.
    private var sent = 0
    /// The number of bytes of all requests so far, and of those that the system has taken.
    private var (given, taken) = (0, 0)
    private var lastSign = LastSign(.now)
    private(set) var failure = "the connection was closed"
    /// The answers that no request waits for: messages of a subscription.
    var messages: [Reply] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    /// Takes a connection over that blocks no more.
    init(owning context: UnsafeMutablePointer<redisContext>) {
        self.context = context
        ReplyMaking.begin(context.pointee.reader)
    }

    deinit { redisFree(context) }

    var descriptor: Int32 { context.pointee.fd }
    /// True while the system has not taken everything that was sent.
    var isBlocked: Bool { !unsent.isEmpty }
    /// True if no answer is missing.
    var isIdle: Bool { inFlight.isEmpty }
    var isFull: Bool { inFlight.count - answered >= 10_000 }
    /// The moment at which the server counts as away: the caller of a request has waited for long enough, and the last sign of life is that long ago.
    ///
    /// - Parameter patience: the time for which a call waits for a server that is away.
    /// - Returns: `nil` if no answer is missing.
    func deadline(_ patience: Duration) -> ContinuousClock.Instant? {
        inFlight.dropFirst(answered).lazy.map(\.deadline).min().map { max($0, lastSign.moment + patience) }
    }

    /// Looks for how much of the first request without an answer the server has taken.
    func look(at now: ContinuousClock.Instant) {
        let first = answered < inFlight.count ? inFlight[answered].endPlace : nil
        lastSign.look(at: now, request: first, confirmed: taken - (SocketCalls.unconfirmed(descriptor) ?? 0))
    }

    func send(_ request: Request) {
        request.replies = []
        request.attempts += 1
        inFlight.append(request)
        // What was sent goes before it outweighs what was not.
        if sent > 1 << 20, sent > unsent.count / 2 {
            unsent.removeFirst(sent)
            sent = 0
        }
        for command in request.commands {
            unsent.append(contentsOf: command.bytes)
            given += command.bytes.count
        }
        request.endPlace = given
    }

    /// Gives the system what it takes now.
    ///
    /// - Returns: false if the connection has broken.
    func flush() -> Bool {
        while !unsent.isEmpty {
            let result = unsent.withUnsafeBytes {
                SocketCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch result {
            case .done(let count):
                sent += count
                taken += count
                if sent == unsent.count {
                    // Most of the time the next commands have room there, too.
                    unsent.removeAll(keepingCapacity: unsent.capacity <= 1 << 18)
                    sent = 0
                }
            case .later: return true
            case .closed: return fail("the server has closed the connection")
            case .failed(let reason): return fail(reason)
            }
        }
        return true
    }

    /// Reads what has arrived, and answers requests.
    ///
    /// - Returns: false if the connection has broken.
    func receive() -> Bool {
        while true {
            let count: Int
            switch buffer.withUnsafeMutableBytes({ SocketCalls.read(descriptor, into: $0) }) {
            case .done(let found): count = found
            case .later: return true
            case .closed: return fail("the server has closed the connection")
            case .failed(let reason): return fail(reason)
            }
            lastSign.heard(at: .now)
            let isFed = buffer.withUnsafeBytes {
                redisReaderFeed(context.pointee.reader, $0.bindMemory(to: CChar.self).baseAddress, count)
            }
            guard isFed == REDIS_OK, takeReplies() else { return fail("an answer that is none of Redis's") }
            if count < buffer.count { return true }
        }
    }

    private func takeReplies() -> Bool {
        while true {
            let found: Reply?
            do throws(ReplyMaking.Strange) { found = try ReplyMaking.next(context.pointee.reader) } catch {
                return false
            }
            guard let reply = found else { return true }
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

    private func fail(_ reason: String) -> Bool {
        failure = reason
        return false
    }

    /// Takes out all requests whose answers have not come.
    func abandon() -> [Request] {
        defer { inFlight = [] }
        return Array(inFlight.dropFirst(answered))
    }
}
