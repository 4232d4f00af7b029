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
    /// The time for the making of a connection, after which another one is tried.
    private var limit: Duration { max(patience, .seconds(10)) }

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
    func connect(_ name: String = "aquifer") throws(ServerFailure) -> OpaquePointer { try begin(name).connection }

    /// A connection, and what asks it as long as it is being made.
    func begin(_ name: String) throws(ServerFailure) -> Answers {
        if let missing = aq_pq_missing() { throw ServerFailure(String(cString: missing)) }
        let settings =
            Self.defaults + [("fallback_application_name", name), ("dbname", address), ("client_encoding", "UTF8")]
        let connection = withPointers(settings.flatMap { [Self.terminated($0.0), Self.terminated($0.1)] }) {
            pointers, _ in
            let names = stride(from: 0, to: pointers.count, by: 2).map { pointers[$0] }
            let values = stride(from: 1, to: pointers.count, by: 2).map { pointers[$0] }
            return PQconnectStartParams(names + [nil], values + [nil], 1)
        }
        if let connection, PQstatus(connection) != CONNECTION_BAD {
            // libpq would print the server's warnings, those of the beginning, too. So it begins anew once it knows who hears them.
            _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
            PQreset(connection)
        }
        guard let connection, PQstatus(connection) == CONNECTION_OK else {
            defer { PQfinish(connection) }
            throw ServerFailure(connection: connection)
        }
        do throws(ServerFailure) {
            let answers = Answers(connection: connection, deadline: .now + limit)
            let each = patience.milliseconds(in: 1...Int32.max)
            // What the database or the role sets for everybody is not meant for the store's transactions.
            try answers.run(
                "SET statement_timeout = \(each); SET lock_timeout = 0; SET standard_conforming_strings = on;"
                    + " SET default_transaction_isolation = 'read committed'")
            // An acknowledged change is on the server's device, as every store promises.
            let durable =
                "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
            _ = try answers.rows(durable)
            return answers
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    /// A connection for requests: all statements are prepared. It also returns the records of lost sessions.
    func open(ending sessions: [Data]) throws(ServerFailure) -> (OpaquePointer, [SessionRecord?]) {
        let answers = try begin("aquifer")
        let connection = answers.connection
        do throws(ServerFailure) {
            for statement in Statement.allCases { try prepare(statement, answers) }
            var records: [SessionRecord?] = []
            // A write that is still being made is not waited for: other callers want the connection.
            if !sessions.isEmpty { try answers.run("SET lock_timeout = 1000") }
            for session in sessions { records.append(try end(session, answers)) }
            if !sessions.isEmpty { try answers.run("SET lock_timeout = 0") }
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
    func listen(to channels: [String], again: Bool) throws(ServerFailure) -> Answers {
        let answers = try begin("aquifer-changes")
        let connection = answers.connection
        do throws(ServerFailure) {
            // The server notices a machine without power as soon as this machine notices a server without.
            let seconds = "tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
            try answers.run("SET \(seconds); SET tcp_user_timeout = 25000")
            for channel in channels { try answers.run("LISTEN \(channel)") }
            while try answers.rows("SELECT pg_try_advisory_lock(\(presence.number))::int").integer(0, 0) != 1 {
                presence.renumber()
            }
            presence.appear(again: again)
            guard PQsetnonblocking(connection, 1) == 0 else { throw ServerFailure(connection: connection) }
            return answers
        } catch {
            PQfinish(connection)
            throw error
        }
    }

    private func prepare(_ statement: Statement, _ answers: Answers) throws(ServerFailure) {
        let kinds = statement.parameters.map(\.rawValue)
        let isSent = PQsendPrepare(
            answers.connection, statement.rawValue, statement.sql(schema.name), Int32(kinds.count), kinds)
        _ = try answers.last(isSent)
    }

    /// Ends a session that has lost its connection, and tells what it has made. It waits a moment for a write that is just being made.
    private func end(_ session: Data, _ answers: Answers) throws(ServerFailure) -> SessionRecord? {
        if let record = try record(.end, session, answers) { return record }
        return try record(.ended, session, answers)
    }

    private func record(
        _ statement: Statement, _ session: Data, _ answers: Answers
    ) throws(ServerFailure) -> SessionRecord? {
        let isSent = withPointers([.bytes(session)]) { pointers, lengths in
            PQsendQueryPrepared(answers.connection, statement.rawValue, 1, pointers, lengths, [1], 1)
        }
        let rows = try answers.last(isSent)
        guard rows.count == 1, let done = rows.integer(0, 0), let ran = rows.integer(0, 1),
            let hits = rows.integer(0, 2)
        else { return nil }
        return SessionRecord(done: done, ran: UInt64(bitPattern: ran), hits: UInt64(bitPattern: hits))
    }

    /// A text of C.
    static func terminated(_ text: String) -> Parameter { .bytes(Data(text.utf8) + [0]) }

    static func isAddress(_ address: String) -> Bool {
        // Without libpq nobody knows; a connection then says what is missing.
        guard aq_pq_missing() == nil else { return true }
        guard let options = PQconninfoParse(address, nil) else { return false }
        PQconninfoFree(options)
        return true
    }

    /// The hosts and the database of an address. A password is never told.
    private static func place(_ address: String) -> String {
        guard aq_pq_missing() == nil, let options = PQconninfoParse(address, nil) else { return "PostgreSQL" }
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
