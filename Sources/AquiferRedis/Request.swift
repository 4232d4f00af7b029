import AquiferConcurrency

/// Commands that a caller wants of the server, sent together.
final class Request: @unchecked Sendable {
    /// The end of a request.
    enum Outcome: Sendable {
        /// The answers, one a command.
        ///
        /// - Parameter wasRepeated: true if an earlier connection broke before it answered: the commands may have been carried out then, too.
        case answered([Reply], wasRepeated: Bool)
        /// There was no server to send it to in time. Nothing was changed.
        case unreachable(String)
        /// The connection broke before the answer came, and there was no other one in time.
        case uncertain(String)
    }

    let commands: [Command]
    /// The end of it.
    let end = Awaited<Outcome>()

    // ---- Below: the loop's turn only. ----

    /// When the caller has waited for long enough.
    let deadline: ContinuousClock.Instant
    var replies: [Reply] = []
    /// True if the caller has been told the end.
    private(set) var isEnded = false
    /// The number of connections on which it was sent.
    var attempts = 0
    /// The place of its end among all bytes of the connection on which it was sent last.
    var endPlace = 0

    init(_ commands: [Command], deadline: ContinuousClock.Instant) {
        self.commands = commands
        self.deadline = deadline
    }

    /// Takes an answer.
    ///
    /// - Returns: true if it was the last one, and the caller is told.
    func take(_ reply: Reply) -> Bool {
        replies.append(reply)
        if replies.count < commands.count { return false }
        end(.answered(replies, wasRepeated: attempts > 1))
        return true
    }

    func fail(_ reason: String) { end(attempts == 0 ? .unreachable(reason) : .uncertain(reason)) }

    private func end(_ outcome: Outcome) {
        isEnded = true
        end.give(outcome)
    }
}
