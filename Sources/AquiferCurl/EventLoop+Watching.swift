import Aquifer
import AquiferCCurl
import AquiferFoundation

// Transfers that would wait for ever: the other side is silent.
extension EventLoop {
    /// True if something has come on a kept connection on which nothing is asked, or its end. Under TLS it may be no answer: a new connection is safe
    /// all the same. HTTP/2 brings what others have asked for: one of them still waits for its head, or `carriesMany` was called.
    func hasStrayInput(_ connection: Poller.Connection, _ handle: EasyHandle) -> Bool {
        guard let socket = sockets.first(where: { $1 == connection && connection.isOn($0) })?.key else { return false }
        return (aq_has_input(socket) != 0 || handle.holdsInput)
            && !transfers.values.contains { $0.connection == connection && !$0.parser.isComplete }
    }

    /// A connection carries several transfers at once: HTTP/2.
    func carriesMany(_ connection: Poller.Connection) {
        sockets = sockets.filter { $1 != connection }
    }

    /// Sees to it that the silence of a transfer's other side is noticed in time.
    func watch(_ transfer: Transfer) {
        let wait = transfer.longestWithoutLook
        nextLook = min(nextLook, now + (transfer.lastHeard == nil ? min(wait, transfer.request.limits.connect) : wait))
    }

    /// Ends the transfers whose other side has been silent too long, and finds out when to look again.
    ///
    /// A sign of life only moves the moment away, so that a look at the earliest one is enough. An upload is looked at in between: only a look finds
    /// what the other side has confirmed.
    func endSilent(_ poller: Poller, _ multi: UnsafeMutableRawPointer) {
        nextLook = now + .seconds(3600)
        for transfer in Array(transfers.values) {
            guard !transfer.waitsForReader else { continue }
            notice(transfer, poller)
            let limits = transfer.request.limits
            // curl counts its own limit from the moment at which a connection is free.
            let deadline = transfer.lastHeard.map { $0 + limits.idle } ?? transfer.begunAt + limits.connect
            if deadline <= now {
                guard transfer.lastHeard != nil else {
                    end(transfer, multi, .failure(TransportError(.cannotConnect, "there was no connection in time")))
                    continue
                }
                // The other side may be out of reach. With HTTP/2 the connection would stay for the next transfers, which would fail the same way.
                transfer.handle?.forbidReuse()
                end(transfer, multi, .failure(TransportError(.timedOut, "the other side fell silent")))
            } else {
                nextLook = min(nextLook, deadline, now + transfer.longestWithoutLook)
            }
        }
    }

    /// Notices how far an upload has come. What it sends on a connection that it has alone is looked for in the system, too.
    private func notice(_ transfer: Transfer, _ poller: Poller) {
        guard transfer.lastHeard != nil, transfer.bodyReader != nil, let handle = transfer.handle else { return }
        var unconfirmed: Int?
        if let connection = transfer.connection {
            let isAlone = transfers.values.allSatisfy { $0 === transfer || $0.connection != connection }
            if isAlone { unconfirmed = poller.unconfirmed(on: connection) }
        }
        if transfer.progress.grows(sent: handle.sent, unconfirmed: unconfirmed) { transfer.heard() }
    }
}

extension Transfer {
    /// The longest time until the loop looks at it again. curl asks for more of a body only once the system has taken what it has, and the system
    /// holds several megabytes, which a slow network may carry for longer than the limit on silence. So an upload is looked at in between.
    fileprivate var longestWithoutLook: Duration { request.limits.idle / (bodyReader == nil ? 1 : Self.looksAtUpload) }

    /// The number of looks within the limit: a sign of life is found late by a fourth of it at most.
    private static var looksAtUpload: Int { 4 }
}

/// The progress of an upload, as of the loop's last look.
struct UploadProgress {
    private var sent = 0
    private var confirmed: Int?

    /// Notes how far it has come.
    ///
    /// The bytes that the system holds tell nothing by themselves: curl adds to them between two looks. The bytes that the other side has confirmed only grow.
    ///
    /// - Parameters:
    ///   - sent: the bytes that the system has taken from curl.
    ///   - unconfirmed: those of them that the other side has not confirmed; `nil` if that is not known.
    /// - Returns: true if the other side has confirmed more than at the last look.
    mutating func grows(sent: Int, unconfirmed: Int?) -> Bool {
        let now = unconfirmed.map { sent - $0 }
        defer { (self.sent, confirmed) = (sent, now) }
        // The system takes more once the other side has confirmed some of what it holds.
        if sent > self.sent { return true }
        guard let confirmed, let now else { return false }
        return now > confirmed
    }
}
