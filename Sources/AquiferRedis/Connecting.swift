import Aquifer
import AquiferCRedis
import AquiferConcurrency
import AquiferFoundation

/// Makes connections. Everything here blocks its thread, and is for threads that may be blocked.
struct Connecting: Sendable {
    let address: RedisAddress
    /// The time for each step.
    let patience: Duration

    /// The reason why there is no connection.
    struct Failure: Error {
        let message: String
        /// True if the server has answered, and will not serve.
        var isRefusal = false
    }

    /// A connection for requests, on which all scripts are known.
    func open() throws(Failure) -> UnsafeMutablePointer<redisContext> {
        try connect(name: "aquifer") { context throws(Failure) in
            for script in Script.allCases { try ask(context, Command("SCRIPT", "LOAD", script.rawValue)) }
        }
    }

    /// A connection that hears the messages of channels.
    func listen(to channels: [String]) throws(Failure) -> UnsafeMutablePointer<redisContext> {
        try connect(name: "aquifer-changes") { context throws(Failure) in
            for channel in channels { try ask(context, Command("SUBSCRIBE", channel)) }
        }
    }

    private func connect(
        name: String, _ prepare: (UnsafeMutablePointer<redisContext>) throws(Failure) -> Void
    ) throws(Failure) -> UnsafeMutablePointer<redisContext> {
        let milliseconds = patience.milliseconds(in: 1...1_000_000_000)
        let limit = timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
        let made =
            switch address.place {
            case .host(let host, let port): redisConnectWithTimeout(host, Int32(port), limit)
            case .socket(let path): redisConnectUnixWithTimeout(path, limit)
            }
        guard let context = made else { throw Failure(message: "out of memory") }
        do throws(Failure) {
            guard context.pointee.err == 0, redisSetTimeout(context, limit) == REDIS_OK else {
                throw failure(of: context)
            }
            _ = SocketCalls.keepToItself(context.pointee.fd)
            if case .host = address.place { _ = redisEnableKeepAlive(context) }
            if let password = address.password {
                let words = ["AUTH"] + [address.user].compactMap { $0 } + [password]
                try ask(context, Command(words.map { Data($0.utf8) }))
            }
            if address.database > 0 { try ask(context, Command("SELECT", "\(address.database)")) }
            try ask(context, Command("CLIENT", "SETNAME", name))
            try prepare(context)
            context.pointee.flags &= ~REDIS_BLOCK
            // A reader that gives its buffer back after each large answer makes the next one slower.
            context.pointee.reader.pointee.maxbuf = 1 << 20
            guard SocketCalls.stopBlocking(context.pointee.fd) else {
                throw Failure(message: "the system does not let the connection stop blocking")
            }
            return context
        } catch {
            redisFree(context)
            throw error
        }
    }

    @discardableResult
    private func ask(_ context: UnsafeMutablePointer<redisContext>, _ command: Command) throws(Failure) -> Reply {
        let isSent = command.bytes.withUnsafeBytes {
            redisAppendFormattedCommand(context, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
        }
        var found: UnsafeMutableRawPointer?
        guard isSent == REDIS_OK, redisGetReply(context, &found) == REDIS_OK, let found else {
            throw failure(of: context)
        }
        defer { freeReplyObject(found) }
        let reply = Reply(found.assumingMemoryBound(to: redisReply.self))
        if case .error(let words) = reply { throw Failure(message: words, isRefusal: !words.hasPrefix("LOADING")) }
        return reply
    }

    private func failure(of context: UnsafeMutablePointer<redisContext>) -> Failure {
        let words = withUnsafeBytes(of: context.pointee.errstr) { raw in
            String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Failure(message: words.isEmpty ? "no answer" : words)
    }
}
