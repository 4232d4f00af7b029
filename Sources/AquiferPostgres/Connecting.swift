import Aquifer
import AquiferCPostgres
import AquiferFoundation

/// Makes connections. Everything here blocks its thread, and is for threads that may be blocked.
struct Connecting: Sendable {
    /// A URL or a text of settings, as libpq takes it.
    let address: String
    let schema: Schema
    let patience: Duration
    /// The address without a password, for messages.
    let place: String
    let presence = Presence()

    init(_ address: String, _ schema: Schema, _ patience: Duration) {
        self.address = address
        self.schema = schema
        self.patience = patience
        place = Self.place(address)
    }

    /// The settings that an address can replace: a dead server is noticed in half a minute.
    private static let defaults = [
        ("connect_timeout", "10"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "25000"),
    ]

    /// A connection, checked and set up.
    ///
    /// - Parameter name: the name that the server's lists of connections show, if the address has none.
    func connect(_ name: String = "aquifer") throws(ServerFailure) -> OpaquePointer {
        let settings =
            Self.defaults + [("fallback_application_name", name), ("dbname", address), ("client_encoding", "UTF8")]
        let connection = withPointers(settings.flatMap { [Self.terminated($0.0), Self.terminated($0.1)] }) {
            pointers, _ in
            let names = stride(from: 0, to: pointers.count, by: 2).map { pointers[$0] }
            let values = stride(from: 1, to: pointers.count, by: 2).map { pointers[$0] }
            return PQconnectdbParams(names + [nil], values + [nil], 1)
        }
        guard let connection, PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            throw ServerFailure(connection: connection)
        }
        do throws(ServerFailure) {
            let limit = Int64(
                patience.components.seconds * 1000 + patience.components.attoseconds / 1_000_000_000_000_000)
            try Self.run("SET statement_timeout = \(max(limit, 1)); SET client_min_messages = warning", on: connection)
            // An acknowledged change is on the server's device, as every store promises.
            let durable =
                "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
            _ = try Self.rows(durable, on: connection)
        } catch {
            PQfinish(connection)
            throw error
        }
        return connection
    }

    /// A connection for requests: all statements are prepared. It also returns the records of lost sessions.
    func open(ending sessions: [Data]) throws(ServerFailure) -> (OpaquePointer, [SessionRecord?]) {
        let connection = try connect()
        do throws(ServerFailure) {
            for statement in Statement.allCases { try prepare(statement, on: connection) }
            var records: [SessionRecord?] = []
            for session in sessions { records.append(try end(session, on: connection)) }
            guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
                throw ServerFailure(connection: connection)
            }
            return (connection, records)
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    /// A connection that listens to channels. As long as it lasts, others see that this machine lives.
    func listen(to channels: [String], again: Bool) throws(ServerFailure) -> OpaquePointer {
        let connection = try connect("aquifer-changes")
        do throws(ServerFailure) {
            // The server notices a machine without power as soon as this machine notices a server without.
            let seconds = "tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
            try Self.run("SET \(seconds); SET tcp_user_timeout = 25000", on: connection)
            for channel in channels { try Self.run("LISTEN \(channel)", on: connection) }
            while try Self.rows("SELECT pg_try_advisory_lock(\(presence.number))::int", on: connection).integer(0, 0)
                != 1
            {
                presence.renumber()
            }
            presence.appear(again: again)
            guard PQsetnonblocking(connection, 1) == 0 else { throw ServerFailure(connection: connection) }
            return connection
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    private func prepare(_ statement: Statement, on connection: OpaquePointer) throws(ServerFailure) {
        let kinds = statement.parameters.map(\.rawValue)
        let result = PQprepare(
            connection, statement.rawValue, statement.sql(schema.name), Int32(kinds.count), kinds)
        defer { PQclear(result) }
        if PQresultStatus(result) == PGRES_COMMAND_OK { return }
        let failure = ServerFailure(result)
        if !statement.isOptional || failure.state != "42P01" { throw failure }
    }

    /// Ends a session that has lost its connection. It waits for a write that is just being made.
    private func end(_ session: Data, on connection: OpaquePointer) throws(ServerFailure) -> SessionRecord? {
        let result = withPointers([.bytes(session)]) { pointers, lengths in
            PQexecPrepared(connection, Statement.end.rawValue, 1, pointers, lengths, [1], 1)
        }
        guard let result, PQresultStatus(result) == PGRES_TUPLES_OK else {
            defer { PQclear(result) }
            throw ServerFailure(result)
        }
        let rows = Rows(owning: result)
        guard rows.count == 1, let done = rows.integer(0, 0), let ran = rows.integer(0, 1),
            let hits = rows.integer(0, 2)
        else { return nil }
        return SessionRecord(done: done, ran: UInt64(bitPattern: ran), hits: UInt64(bitPattern: hits))
    }

    /// Runs statements without parameters.
    static func run(_ sql: String, on connection: OpaquePointer) throws(ServerFailure) {
        let result = PQexec(connection, sql)
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw ServerFailure(result) }
    }

    /// The rows of a query without parameters.
    static func rows(_ sql: String, on connection: OpaquePointer) throws(ServerFailure) -> Rows {
        let result = PQexecParams(connection, sql, 0, nil, nil, nil, nil, 1)
        guard let result, PQresultStatus(result) == PGRES_TUPLES_OK else {
            defer { PQclear(result) }
            throw ServerFailure(result)
        }
        return Rows(owning: result)
    }

    /// A text of C.
    private static func terminated(_ text: String) -> Parameter { .bytes(Data(text.utf8) + [0]) }

    static func isAddress(_ address: String) -> Bool {
        guard let options = PQconninfoParse(address, nil) else { return false }
        PQconninfoFree(options)
        return true
    }

    /// The hosts and the database of an address. A password is never told.
    private static func place(_ address: String) -> String {
        guard let options = PQconninfoParse(address, nil) else { return "PostgreSQL" }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let host = found["host"] ?? found["hostaddr"] ?? "localhost"
        let port = found["port"].map { ":\($0)" } ?? ""
        return "postgresql://\(host)\(port)/\(found["dbname"] ?? "")"
    }
}
