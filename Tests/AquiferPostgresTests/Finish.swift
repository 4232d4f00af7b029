import AquiferCPostgres

@testable import AquiferPostgres

extension PostgresServer {
    static func finish(_ connection: OpaquePointer) { PQfinish(connection) }
}

extension Connecting {
    /// Runs statements, and waits a minute for their end.
    static func run(_ sql: String, on connection: OpaquePointer) throws(ServerFailure) {
        try Answers(connection: connection, deadline: .now + .seconds(60)).run(sql)
    }

    /// The rows of a query, for which it waits a minute.
    static func rows(_ sql: String, on connection: OpaquePointer) throws(ServerFailure) -> Rows {
        try Answers(connection: connection, deadline: .now + .seconds(60)).rows(sql)
    }
}
