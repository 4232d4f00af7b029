import Foundation
import ServerPrograms

@testable import AquiferPostgres

/// A PostgreSQL server for tests, in a temporary folder (`Scripts/postgres`). It ends with this process, however that ends.
final class PostgresServer: Sendable {
    /// The server of all tests that leave it alone. Each test has a schema of its own.
    static let shared = Result { try PostgresServer() }

    private let program: ServerProgram
    var port: UInt16 { program.port }
    var folder: String { program.folder }

    /// - Parameters:
    ///   - primary: the server whose synchronous replica it is to be; `nil` for a server of its own.
    ///   - small: the megabytes of a file system of its own in the folder `small`; `nil` for none.
    init(replicaOf primary: PostgresServer? = nil, small: Int? = nil) throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts/postgres")
        let options = primary.map { [$0.folder, "\($0.port)"] } ?? small.map { ["\($0)"] } ?? []
        program = try ServerProgram(
            script.standardizedFileURL.path, options, verb: primary == nil ? "run" : "replica")
    }

    /// The address of the server for libpq.
    var address: String { "postgresql://postgres@127.0.0.1:\(port)/postgres" }

    /// Ends all processes of the server at once.
    func kill() throws { try program.kill() }

    /// Starts it after ``kill()``.
    func start() throws { try program.start() }

    /// Makes a replica the primary.
    func promote() throws { try program.run("promote") }

    /// The address of two servers, of which libpq takes the one that may be written to.
    func address(or other: PostgresServer) -> String {
        "postgresql://postgres@127.0.0.1:\(port),127.0.0.1:\(other.port)/postgres?target_session_attrs=read-write"
    }

    /// Runs statements as another program would.
    func run(sql: String) throws {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect()
        defer { PostgresServer.finish(connection) }
        try Connecting.run(sql, on: connection)
    }

    /// Ends the connections of this name.
    ///
    /// - Returns: how many there were.
    @discardableResult
    func cutConnections(named name: String) throws -> Int64 {
        try number("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'")
    }

    /// The number that a query answers.
    func number(_ query: String) throws -> Int64 {
        let connection = try Connecting(address, Schema("none"), .seconds(30)).connect("counter")
        defer { PostgresServer.finish(connection) }
        return try Connecting.rows(query, on: connection).integer(0, 0) ?? 0
    }
}
