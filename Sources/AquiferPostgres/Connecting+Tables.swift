import Aquifer
import AquiferCPostgres
import Dispatch

/// The tables of a store: found, made, upgraded.
extension Connecting {
    /// A connection that listens to the changes of the tables. They are created or upgraded first, if necessary. All of that
    /// happens on a thread that may be blocked.
    func begin() async throws(StoreError) -> Listening {
        let result: Result<Listening, StoreError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(StoreError) in try prepare() })
            }
        }
        return try result.get()
    }

    /// A connection on its way from the thread that has made it to the one that uses it.
    struct Listening: @unchecked Sendable {
        let connection: OpaquePointer
    }

    private func prepare() throws(StoreError) -> Listening {
        do throws(ServerFailure) {
            let connection = try listen(to: schema.quotedChannels, again: false)
            do throws(ServerFailure) {
                // Most of the time they are there, and a user who may not make any only looks.
                switch try state(connection) {
                case .foreign: throw Self.foreign
                case .version(Schema.version, isWhole: true): break
                case .version(let found, _) where found != Schema.version: throw Self.newer(found)
                case .version: try add(on: connection)
                case .missing: try make(on: connection)
                }
            } catch {
                PQfinish(connection)
                throw error
            }
            return Listening(connection: connection)
        } catch {
            switch error.state {
            case Self.foreign.state: throw .notAStore(path: "\(place), schema \(schema.name)")
            case Self.newerState:
                throw .newerVersion(path: place, found: Int(error.message) ?? 0, supported: Schema.version)
            default: throw error.error("prepare its tables", place)
            }
        }
    }

    /// Adds what an older program has not made. A user who may not add anything goes on without.
    private func add(on connection: OpaquePointer) throws(ServerFailure) {
        do throws(ServerFailure) { try make(on: connection) } catch {
            guard error.state == "42501" else { throw error }
            try Self.run("ROLLBACK", on: connection)
        }
    }

    /// Makes the tables that are missing, in one transaction. Only one of several processes makes them, if all begin at once.
    private func make(on connection: OpaquePointer) throws(ServerFailure) {
        try Self.run("BEGIN", on: connection)
        // The number is any that other programs are unlikely to use: the first bytes of "aquifer".
        _ = try Self.rows("SELECT pg_advisory_xact_lock(27430371889702258)", on: connection)
        switch try state(connection) {
        case .missing: for statement in schema.creation { try Self.run(statement, on: connection) }
        case .foreign: throw Self.foreign
        case .version(Schema.version, let isWhole):
            if !isWhole { for statement in schema.addition { try Self.run(statement, on: connection) } }
        case .version(let found, _): throw Self.newer(found)
        }
        try Self.run("COMMIT", on: connection)
    }

    private enum State {
        case missing, foreign
        case version(Int, isWhole: Bool)
    }

    private func state(_ connection: OpaquePointer) throws(ServerFailure) -> State {
        let look = try Self.rows(schema.look, on: connection)
        if look.integer(0, 1) == 0 { return .missing }
        if look.integer(0, 0) == 0 { return .foreign }
        let found = try Self.rows(schema.found, on: connection)
        guard found.count == 1, let number = found.integer(0, 0) else { return .foreign }
        return .version(Int(number), isWhole: look.integer(0, 2) == 1)
    }

    private static let newerState = "newer"
    private static let foreign = ServerFailure(state: "foreign", "the schema has tables of somebody else")
    private static func newer(_ found: Int) -> ServerFailure { ServerFailure(state: newerState, "\(found)") }
}
