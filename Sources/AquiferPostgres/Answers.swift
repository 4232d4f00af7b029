import AquiferCPostgres
import AquiferConcurrency
import AquiferFoundation

/// Answers that a thread waits for, up to a moment. libpq's own calls would wait for as long as a server is silent: for ever, for one
/// that commits only with a replica that is cut off.
struct Answers {
    let connection: OpaquePointer
    let deadline: ContinuousClock.Instant

    /// Runs statements without parameters.
    func run(_ sql: String) throws(ServerFailure) { _ = try last(PQsendQuery(connection, sql)) }

    /// The rows of a query without parameters.
    func rows(_ sql: String) throws(ServerFailure) -> Rows {
        try last(PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1))
    }

    /// The last answer to what was sent. The connection cannot be used any more if it does not come in time.
    func last(_ isSent: Int32) throws(ServerFailure) -> Rows {
        guard isSent == 1 else { throw ServerFailure(connection: connection) }
        var last: Rows?
        var failure: ServerFailure?
        while let result = try next() {
            let status = PQresultStatus(result)
            let rows = Rows(owning: result)
            if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK {
                last = rows
            } else {
                failure = failure ?? ServerFailure(result)
                // A broken connection would repeat its failure without end.
                if PQstatus(connection) == CONNECTION_BAD { break }
            }
        }
        if let failure { throw failure }
        guard let last else { throw ServerFailure(connection: connection) }
        return last
    }

    private func next() throws(ServerFailure) -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            guard deadline > .now, SocketCalls.waitToRead(PQsocket(connection), milliseconds: deadline.milliseconds)
            else {
                throw ServerFailure("the server does not answer")
            }
            guard PQconsumeInput(connection) == 1 else { throw ServerFailure(connection: connection) }
        }
        return PQgetResult(connection)
    }
}
