import Aquifer
import AquiferCPostgres

/// A connection that is told of the changes of others, from the store's beginning to its end. For the loop's thread.
final class Listener: @unchecked Sendable {
    /// The quoted name of the channel.
    let channel: String
    private let onMessage: @Sendable (Message) -> Void
    private var connection: OpaquePointer?
    /// When to try to connect again; `nil` while connected or connecting.
    var retryAt: ContinuousClock.Instant?

    enum Message: Sendable {
        /// The text that another store sent with its change.
        case told(String)
        /// It listens again. It did not hear what happened meanwhile.
        case resumed

        /// Tells observers what it says.
        func pass(from instance: String, to changes: StoreChanges) {
            switch self {
            case .told(let text):
                if let change = ToldChange.change(text, to: instance) { changes.post(change) }
            // Nobody knows what happened while it did not listen.
            case .resumed: changes.post(.everything)
            }
        }
    }

    /// Takes a connection over that listens to the channel.
    init(owning connection: OpaquePointer, channel: String, onMessage: @escaping @Sendable (Message) -> Void) {
        self.connection = connection
        self.channel = channel
        self.onMessage = onMessage
    }

    var descriptor: Int32? { connection.map { PQsocket($0) } }

    /// Takes a connection over that listens to the channel in place of a broken one.
    func resume(_ connection: OpaquePointer) {
        self.connection = connection
        onMessage(.resumed)
    }

    /// Reads what has arrived.
    ///
    /// - Returns: false if the connection has broken.
    func receive() -> Bool {
        guard let connection, PQconsumeInput(connection) == 1 else { return false }
        while let notice = PQnotifies(connection) {
            onMessage(.told(String(cString: notice.pointee.extra)))
            PQfreemem(notice)
        }
        return PQstatus(connection) != CONNECTION_BAD
    }

    func close() {
        if let connection { PQfinish(connection) }
        connection = nil
    }
}
