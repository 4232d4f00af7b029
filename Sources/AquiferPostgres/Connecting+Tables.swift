import Aquifer
import AquiferCPostgres
import Dispatch

/// The tables of a store: found, or made.
extension Connecting {
    /// A connection that listens to the changes of the tables. They are created first, if necessary. All of that
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
            let answers = try listen(to: schema.quotedChannels, again: false)
            do throws(ServerFailure) {
                // Most of the time they are there, and a user who may not make any only looks.
                switch try state(answers) {
                case .foreign: throw Self.foreign
                case .version(Schema.version): break
                case .version(let found): throw Self.other(found)
                case .missing: try make(answers)
                }
            } catch {
                PQfinish(answers.connection)
                throw error
            }
            return Listening(connection: answers.connection)
        } catch {
            switch error.state {
            case Self.foreign.state: throw .notAStore(path: "\(place), schema \(schema.name)")
            case Self.otherState:
                throw .otherVersion(path: place, found: Int(error.message) ?? 0, supported: Schema.version)
            case Self.damagedState: throw .damaged(path: place, reason: error.message)
            case "": throw .failed(operation: "be reached", reason: "\(place): \(error.message)")
            default: throw error.error("prepare its tables", place)
            }
        }
    }

    /// Makes the tables that are missing, in one transaction. Only one of several processes makes them, if all begin at once.
    private func make(_ answers: Answers) throws(ServerFailure) {
        try answers.run("BEGIN")
        // The number is any that other programs are unlikely to use: the first bytes of "aquifer".
        _ = try answers.rows("SELECT pg_advisory_xact_lock(27430371889702258)")
        switch try state(answers) {
        case .missing: for statement in schema.creation { try answers.run(statement) }
        case .foreign: throw Self.foreign
        case .version(Schema.version): break
        case .version(let found): throw Self.other(found)
        }
        try answers.run("COMMIT")
    }

    private enum State {
        case missing, foreign
        case version(Int)
    }

    private func state(_ answers: Answers) throws(ServerFailure) -> State {
        let look = try answers.rows(schema.look)
        let names = Set((0..<look.count).compactMap { look.bytes($0, 0).map { String(decoding: $0, as: UTF8.self) } })
        if names.isEmpty { return .missing }
        guard names.contains("version") else { return .foreign }
        let found = try answers.rows(schema.found)
        guard found.count == 1, let number = found.integer(0, 0) else { return .foreign }
        if number == Schema.version, let lost = Schema.parts.first(where: { !names.contains($0) }) {
            throw ServerFailure(state: Self.damagedState, "schema \(schema.name) has lost \(lost)")
        }
        return .version(Int(number))
    }

    private static let damagedState = "damaged"
    private static let otherState = "other"
    private static let foreign = ServerFailure(state: "foreign", "the schema has tables of somebody else")
    private static func other(_ found: Int) -> ServerFailure { ServerFailure(state: otherState, "\(found)") }
}
