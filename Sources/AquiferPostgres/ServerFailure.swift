import Aquifer
import AquiferCPostgres
import AquiferFoundation

/// The server's reason for not carrying a statement out, or the reason why there is no server.
struct ServerFailure: Error, Sendable {
    /// Five characters that say what has failed (postgresql.org/docs, appendix A); empty if the server said nothing.
    let state: String
    /// The server's words, or libpq's, on one line.
    let message: String

    init(state: String = "", _ message: String) {
        self.state = state
        self.message = message
    }

    /// The failure in a result.
    init(_ result: OpaquePointer?) {
        state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        message = Self.line(primary ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? "no answer")
    }

    /// The failure of a connection.
    init(connection: OpaquePointer?) {
        state = ""
        message = Self.line(PQerrorMessage(connection).map { String(cString: $0) } ?? "out of memory")
    }

    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { String($0.drop { $0 == " " || $0 == "\t" }) }
            .joined(separator: "; ")
    }

    /// True if the server is starting, stopping or not the one that may be written to: another one will answer soon.
    var isPassing: Bool {
        // Failures of the connection, shutdown and start, a replica, too many connections.
        state.hasPrefix("08") || ["57P01", "57P02", "57P03", "25006", "53300"].contains(state)
    }

    /// True if the server, or this connection, takes no writes.
    var isOfReplica: Bool { state == "25006" }

    /// True if two transactions stood in each other's way, and this one was undone.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// The meaning of this failure for a caller. The change was not made.
    func error(_ operation: String, _ place: String) -> StoreError {
        switch state {
        case "53100": .full(path: place)
        case "25006", "42501": .readOnly(path: place)
        case "57014", "55P03", "40001", "40P01": .busy(path: place)
        case "XX001", "XX002": .damaged(path: place, reason: message)
        default: .failed(operation: operation, reason: "\(place): \(message)")
        }
    }
}
