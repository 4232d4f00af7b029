import Aquifer
import AquiferCCurl
import AquiferConcurrency
import AquiferFoundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Waits for curl's sockets, its timer and an awakening, and calls curl for exactly those that are ready.
///
/// `curl_multi_perform` asks every transfer, ready or not: with 64 at once most of the time goes into that.
/// Everything but `wake` is for the loop's thread.
final class Poller: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer
    private let awakening: WakePipe
    /// The descriptors to poll: the pipe first, then curl's sockets.
    private var entries: [pollfd]
    private var places: [curl_socket_t: Int] = [:]
    /// When curl wants to be called though no socket is ready.
    private var timer: ContinuousClock.Instant?
    private var ready: [pollfd] = []
    /// Why curl could not go on; `nil` if it could. Then it may have forgotten to watch a socket, or its timer, and is not to be called again.
    private(set) var failure: CURLMcode?

    /// - Throws: `.cannotConnect` when there is no descriptor left for it.
    init(_ multi: UnsafeMutableRawPointer) throws(TransportError) {
        do throws(SystemThread.Unavailable) { awakening = try WakePipe() } catch {
            throw .outOfResources("a pipe", error.code)
        }
        self.multi = multi
        entries = [pollfd(fd: awakening.descriptor, events: Int16(POLLIN), revents: 0)]
        // Not retained: the loop holds the poller longer than curl's handle.
        let context = Unmanaged.passUnretained(self).toOpaque()
        aq_curl_multi_set_socket(multi, CURLMOPT_SOCKETFUNCTION, curlWatches)
        aq_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
        aq_curl_multi_set_timer(multi, CURLMOPT_TIMERFUNCTION, curlSetsTimer)
        aq_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
    }

    /// Ends the waiting. May be called from any thread.
    func wake() { awakening.wake() }

    /// Waits for anything to do, until a moment or curl's timer, if that is earlier.
    func wait(until moment: ContinuousClock.Instant) {
        let milliseconds = min(moment, timer ?? moment).milliseconds
        ready.removeAll(keepingCapacity: true)
        guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        for entry in entries where entry.revents != 0 { ready.append(entry) }
        if entries[0].revents != 0 { awakening.drain() }
    }

    /// Calls curl for the sockets that the last waiting found ready.
    func runReady() {
        for entry in ready where entry.fd != awakening.descriptor {
            var what: Int32 = 0
            if entry.revents & Int16(POLLIN | POLLHUP) != 0 { what |= CURL_CSELECT_IN }
            if entry.revents & Int16(POLLOUT) != 0 { what |= CURL_CSELECT_OUT }
            if entry.revents & Int16(POLLERR | POLLNVAL) != 0 { what |= CURL_CSELECT_ERR }
            call(entry.fd, what)
        }
    }

    /// Calls curl if its timer has come.
    func runDue(_ now: ContinuousClock.Instant) {
        guard let due = timer, due <= now else { return }
        timer = nil
        call(CURL_SOCKET_BAD, 0)
    }

    private func call(_ socket: curl_socket_t, _ what: Int32) {
        guard failure == nil else { return }
        var running: Int32 = 0
        let code = curl_multi_socket_action(multi, socket, what, &running)
        if code != CURLM_OK { failure = code }
    }

    /// The two ends of a connection.
    struct Connection: Equatable {
        let localPort: Int32
        /// The address of the other side, as text.
        let remote: String
        let remotePort: Int32

        func isOn(_ socket: curl_socket_t) -> Bool { aq_is_connection(socket, localPort, remote, remotePort) == 1 }
    }

    /// The number of bytes that the system holds of what was sent on a connection; `nil` if it does not say, or curl does not watch it now.
    func unconfirmed(on connection: Connection) -> Int? {
        for entry in entries.dropFirst() {
            if connection.isOn(entry.fd) { return SocketCalls.unconfirmed(entry.fd) }
        }
        return nil
    }

    fileprivate func watch(_ socket: curl_socket_t, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            guard let place = places.removeValue(forKey: socket) else { return }
            let last = entries.removeLast()
            guard place < entries.count else { return }
            entries[place] = last
            places[last.fd] = place
            return
        }
        let events = (what & CURL_POLL_IN != 0 ? POLLIN : 0) | (what & CURL_POLL_OUT != 0 ? POLLOUT : 0)
        if let place = places[socket] {
            entries[place].events = Int16(events)
        } else {
            places[socket] = entries.count
            entries.append(pollfd(fd: socket, events: Int16(events), revents: 0))
        }
    }

    fileprivate func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}

private func poller(_ context: UnsafeMutableRawPointer?) -> Poller? {
    context.map { Unmanaged<Poller>.fromOpaque($0).takeUnretainedValue() }
}

private func curlWatches(
    _ easy: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ what: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    poller(context)?.watch(socket, what)
    return 0
}

private func curlSetsTimer(
    _ multi: UnsafeMutableRawPointer?, _ milliseconds: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    poller(context)?.setTimer(milliseconds)
    return 0
}
