import AquiferConcurrency
import AquiferFoundation

/// A transaction that a caller wants of the server.
final class Request: @unchecked Sendable {
    /// The end of a request.
    enum Outcome: Sendable {
        /// The answers of a request that only reads.
        case rows([Rows])
        /// The write was made; true if it has changed anything.
        case written(Bool)
        /// The server refused it. Nothing was changed.
        case refused(ServerFailure)
        /// There was no server to send it to in time. Nothing was changed.
        case unreachable(ServerFailure)
        /// The connection broke, and no other one told in time whether the write was made.
        case uncertain(ServerFailure)
    }

    struct Step: Sendable {
        let statement: Statement
        let parameters: [Parameter]

        init(_ statement: Statement, _ parameters: [Parameter]) {
            self.statement = statement
            self.parameters = parameters
        }
    }

    let steps: [Step]
    /// True if the first step is a write for the connection's session, which puts two parameters before those of the step.
    let writes: Bool
    /// True if it changes rows, whether for a session or not.
    let mayCommit: Bool
    /// The requests that are made in one step by this one.
    let joined: [Request]
    /// The end of it.
    let end = Awaited<Outcome>()

    // ---- Below: the loop's turn only. ----

    /// When a caller has waited for long enough.
    var deadline: ContinuousClock.Instant
    /// The write, if others may be made in one step with it.
    private(set) var insertion: Insertion?
    /// The number of the write in its session.
    var number: Int64 = 0
    /// The answers of the steps so far.
    var results: [Rows] = []
    /// Why it was last not carried out.
    var failure: ServerFailure?
    var attempts = 0
    /// True if the caller has been told the end.
    private(set) var isEnded = false

    init(
        _ steps: [Step], writes: Bool, deadline: ContinuousClock.Instant, insertion: Insertion? = nil,
        joined: [Request] = []
    ) {
        self.steps = steps
        self.writes = writes
        mayCommit = writes || steps.contains { !$0.statement.onlyReads }
        self.deadline = deadline
        self.insertion = insertion
        self.joined = joined
    }

    func end(_ outcome: Outcome) {
        for each in joined { each.end(outcome) }
        isEnded = true
        end.give(outcome)
    }

    /// The requests of a step that the server has refused. Each is made by itself, to see whose fault it was.
    func parted() -> [Request] {
        for each in joined { (each.insertion, each.failure, each.attempts) = (nil, failure, attempts) }
        return joined
    }
}

/// The note in a session's row about its last writes.
struct SessionRecord: Sendable {
    /// The number of the last write that was made.
    let done: Int64
    /// One bit for each of the last 63 writes, the last one first: whether it was made, and whether it changed anything.
    let ran: UInt64
    let hits: UInt64

    /// True or false if the write with this number was made, and changed something or nothing; `nil` if it was not made.
    func outcome(of number: Int64) -> Bool? {
        guard number <= done, done - number < 63 else { return nil }
        let bit: UInt64 = 1 << UInt64(done - number)
        return ran & bit == 0 ? nil : hits & bit != 0
    }
}
