import Aquifer
import AquiferCPostgres
import AquiferConcurrency
import AquiferFoundation
import Dispatch

extension PostgresStore {
    /// True if a server has answered and refuses an address for good: its user, its password or its database is wrong; or if a setting in
    /// the address has a value that libpq does not know. False if it takes the address, and if no server has answered, or one that is
    /// starting, full or a replica: that may pass by itself.
    ///
    /// Ask it after an ``init(_:schema:connections:hasLeases:patience:)`` that failed, to decide whether to try again. It takes ten
    /// seconds at most.
    public static func isRefused(_ address: String) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: Connecting.isRefused(address)) }
        }
    }
}

extension Connecting {
    /// The time for all hosts of an address.
    private static let refusalPatience = Duration.seconds(10)

    /// Connects once more, with messages that have the server's codes: libpq gives the code of a failed connection in no other way.
    static func isRefused(_ address: String) -> Bool {
        guard aq_pq_missing() == nil else { return false }
        let connection = withPointers([terminated("dbname"), terminated(address)]) { pointers, _ in
            PQconnectStartParams([pointers[0], nil], [pointers[1], nil], 1)
        }
        guard let connection else { return false }
        defer { PQfinish(connection) }
        _ = PQsetNoticeReceiver(connection, { _, _ in }, nil)
        _ = PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
        guard let poller = try? SocketPoller() else { return false }  // without a descriptor nobody can ask
        let end = ContinuousClock.now + refusalPatience
        if PQstatus(connection) == CONNECTION_BAD, isMisspelt(connection) { return true }
        var step = PGRES_POLLING_WRITING
        while step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING {
            let left = end - .now
            guard left > .zero, PQstatus(connection) != CONNECTION_BAD else { break }
            let interest: SocketPoller.Interest = step == PGRES_POLLING_WRITING ? .writing : .reading
            poller.wait(
                watching: [(PQsocket(connection), interest)], milliseconds: left.milliseconds(in: 1...Int32.max))
            step = PQconnectPoll(connection)
        }
        guard step == PGRES_POLLING_FAILED else { return false }
        if PQconnectionNeedsPassword(connection) == 1 { return true }
        let words = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        guard let code = words.split(whereSeparator: { $0 == " " || $0.isNewline }).last else { return false }
        // The user or the password is wrong, there is no such database, or the user may not connect to it.
        return (code.count == 5 && code.hasPrefix("28")) || code == "3D000" || code == "42501"
    }

    /// True if libpq does not know a value in the address, such as that of `sslmode`. It says so in English, because no program of ours
    /// sets its language.
    private static func isMisspelt(_ connection: OpaquePointer) -> Bool {
        let words = ServerFailure(connection: connection).message
        return words.hasPrefix("invalid ") || words.contains(" invalid when ") || words.hasPrefix("could not match ")
    }
}
