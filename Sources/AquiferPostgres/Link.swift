import AquiferCPostgres
import AquiferFoundation

/// One connection in pipeline mode: requests are sent without waiting for the answers of those before. For who has the loop's turn.
final class Link {
    /// The number of requests on their way at most: a session's record tells of the last 63 writes.
    static let window = 60

    let connection: OpaquePointer
    /// The id of the session, new with each connection.
    let session: Data
    private(set) var inFlight: [Request] = []
    /// True while the system has not taken everything that was sent.
    private(set) var isBlocked = false
    private var hasBegun = false
    /// The reason why the session could not begin; `nil` if it could.
    private(set) var beginFailure: ServerFailure?
    private var lastNumber: Int64 = 0

    /// Takes a connection over, on which all statements are prepared.
    init(owning connection: OpaquePointer) {
        self.connection = connection
        session = Row.newMark()
    }

    deinit { PQfinish(connection) }

    var descriptor: Int32 { PQsocket(connection) }
    /// True while it makes a step of insertions.
    var isInserting: Bool { inFlight.contains { $0.insertion != nil || !$0.joined.isEmpty } }
    /// True while something is on its way that may wait for the server to commit it.
    var mayCommit: Bool { inFlight.contains { $0.mayCommit } }
    var isFull: Bool { inFlight.count >= Self.window }
    var failure: ServerFailure { ServerFailure(connection: connection) }

    /// Sends a request. It is in flight afterwards, even if the connection has broken meanwhile.
    ///
    /// - Returns: false if the connection has broken.
    func send(_ request: Request) -> Bool {
        if request.writes, !hasBegun {
            (hasBegun, beginFailure) = (true, nil)
            let begin = Request([.init(.begin, [.bytes(session)])], writes: false, deadline: request.deadline)
            guard send(begin) else {
                inFlight.append(request)
                return false
            }
        }
        inFlight.append(request)
        request.results = []
        request.failure = nil
        request.attempts += 1
        if request.writes {
            lastNumber += 1
            request.number = lastNumber
        }
        for (place, step) in request.steps.enumerated() {
            let isWrite = request.writes && place == 0
            let parameters = (isWrite ? [.bytes(session), .integer(request.number)] : []) + step.parameters
            let isSent = withPointers(parameters) { pointers, lengths in
                let formats = [Int32](repeating: 1, count: parameters.count)
                return PQsendQueryPrepared(
                    connection, step.statement.rawValue, Int32(parameters.count), pointers, lengths, formats, 1)
            }
            guard isSent == 1 else { return false }
        }
        return PQpipelineSync(connection) == 1
    }

    /// Takes note that the session could not begin. The next write tries to begin it again.
    func begin(failedWith failure: ServerFailure) {
        hasBegun = false
        beginFailure = failure
    }

    /// Gives the system what it takes now.
    ///
    /// - Returns: false if the connection has broken.
    func flush() -> Bool {
        let left = PQflush(connection)
        isBlocked = left == 1
        return left >= 0
    }

    /// Reads what has arrived, and takes the requests out that are done.
    ///
    /// - Returns: the requests; `nil` after them if the connection has broken.
    func receive() -> (done: [Request], isBroken: Bool) {
        var done: [Request] = []
        guard PQconsumeInput(connection) == 1 else { return (done, true) }
        // Without requests there is no answer, and asking for one would be taken for the end.
        while !inFlight.isEmpty, PQisBusy(connection) == 0 {
            // Nothing stands between the answers of two statements.
            guard let result = PQgetResult(connection) else { continue }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                done.append(inFlight.removeFirst())
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                inFlight[0].results.append(Rows(owning: result))
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
            default:
                inFlight[0].failure = inFlight[0].failure ?? ServerFailure(result)
                PQclear(result)
                if PQstatus(connection) == CONNECTION_BAD { return (done, true) }
            }
        }
        return (done, PQstatus(connection) == CONNECTION_BAD)
    }

    /// Takes out all requests whose answers have not come.
    func abandon() -> [Request] {
        defer { inFlight = [] }
        return inFlight
    }
}
