import Aquifer
import AquiferCPostgres
import AquiferConcurrency
import AquiferTesting
import Testing

@testable import AquiferPostgres

extension PostgresServer {
    static func finish(_ connection: OpaquePointer) { PQfinish(connection) }
    static func process(of connection: OpaquePointer) -> Int32 { PQbackendPID(connection) }
}

extension PostgresStore {
    /// A store that waits only so long for its server. On a slow machine that may be too short to open it at once.
    static func impatient(_ address: String, schema: String = "aquifer", patience: Duration) async throws
        -> PostgresStore
    {
        let made = Locked<PostgresStore?>(nil)
        let isOpen = await eventually {
            // The next attempt may be quicker.
            let store = try? await PostgresStore(address, schema: schema, patience: patience)
            made.withLock { $0 = store }
            return store != nil
        }
        #expect(isOpen)
        return try #require(made.withLock { $0 })
    }
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
