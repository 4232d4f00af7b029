import Aquifer
import AquiferCPostgres

/// A connection that is told of the changes of others, from the store's beginning to its end. For who has the loop's turn.
final class Listener: @unchecked Sendable {
    /// The quoted names of the channels.
    let channels: [String]
    /// Returns false if the message is this store's own.
    private let onMessage: @Sendable (Message) -> Bool
    /// When to look again for what arrives; `nil` for at once. Where a store hears only itself, one look for many messages is enough.
    private(set) var restsUntil: ContinuousClock.Instant?
    private var connection: OpaquePointer?
    /// When to try to connect again; `nil` while connected or connecting.
    var retryAt: ContinuousClock.Instant?

    enum Message: Sendable {
        /// The text that another store sent with its change.
        case told(String)
        /// The text that another store sent with the end of a lease.
        case leaseEnded(String)
        /// It listens again. It did not hear what happened meanwhile.
        case resumed

        /// True if this store has sent it, so that its observers were told before. Nobody else need wake up for it.
        func isOwn(_ instance: String) -> Bool {
            switch self {
            case .told(let text), .leaseEnded(let text): ToldChange.isOwn(text, of: instance)
            case .resumed: false
            }
        }

        /// The changes of entries that it tells, also those of this store.
        var changes: [StoreChange] {
            guard case .told(let text) = self else { return [] }
            return ToldChange.changes(text, to: "") ?? []
        }

        /// Tells observers what it says.
        func pass(from instance: String, to changes: StoreChanges, _ leaseEnds: StoreChanges) {
            switch self {
            case .told(let text):
                for change in ToldChange.changes(text, to: instance) ?? [] { changes.post(change) }
            case .leaseEnded(let text):
                if let change = ToldChange.change(text, to: instance) { leaseEnds.post(change) }
            // Nobody knows what happened while it did not listen.
            case .resumed:
                changes.post(.everything)
                leaseEnds.post(.everything)
            }
        }
    }

    /// Takes a connection over that listens to the channels.
    init(owning connection: OpaquePointer, channels: [String], onMessage: @escaping @Sendable (Message) -> Bool) {
        self.connection = connection
        self.channels = channels
        self.onMessage = onMessage
    }

    /// The time by which a change of another store comes later at most.
    private static let rest = Duration.milliseconds(1)

    var descriptor: Int32? { connection.map { PQsocket($0) } }

    /// Takes a connection over that listens to the channels in place of a broken one.
    func resume(_ connection: OpaquePointer) {
        self.connection = connection
        _ = onMessage(.resumed)
    }

    /// Ends the rest when its time has come.
    func rest(at now: ContinuousClock.Instant) {
        if let moment = restsUntil, moment <= now { restsUntil = nil }
    }

    /// Reads what has arrived.
    ///
    /// - Returns: false if the connection has broken.
    func receive(at now: ContinuousClock.Instant) -> Bool {
        var (hearsItself, hearsOthers) = (false, false)
        defer { restsUntil = hearsItself && !hearsOthers ? now + Self.rest : nil }
        guard let connection, PQconsumeInput(connection) == 1 else { return false }
        while let notice = PQnotifies(connection) {
            let (channel, text) = (String(cString: notice.pointee.relname), String(cString: notice.pointee.extra))
            let isOthers = onMessage(channel.hasPrefix("aquifer-l:") ? .leaseEnded(text) : .told(text))
            (hearsItself, hearsOthers) = (hearsItself || !isOthers, hearsOthers || isOthers)
            PQfreemem(notice)
        }
        return PQstatus(connection) != CONNECTION_BAD
    }

    func close() {
        if let connection { PQfinish(connection) }
        connection = nil
    }
}
