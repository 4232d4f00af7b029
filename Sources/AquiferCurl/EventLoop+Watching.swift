import Aquifer
import AquiferCCurl
import AquiferFoundation

// Transfers that would wait for ever: the other side is silent, or curl lost them.
extension EventLoop {
    /// Ends all transfers when curl itself failed, for want of memory: it does not say which of them it lost.
    func endFailed(_ poller: Poller, _ multi: UnsafeMutableRawPointer) {
        guard let failure = poller.failure else { return }
        let text = String(cString: curl_multi_strerror(failure))
        for transfer in Array(transfers.values) {
            let kind: TransportError.Kind = transfer.lastHeard == nil ? .cannotConnect : .interrupted
            end(transfer, multi, .failure(TransportError(kind, "curl failed: \(text)")))
        }
        poller.forgetFailure()
    }

    /// Sees to it that the silence of a transfer's other side is noticed in time.
    func watch(_ transfer: Transfer) {
        nextLook = min(nextLook, now + transfer.longestWithoutLook)
    }

    /// Ends the transfers whose other side has been silent too long, and finds out when to look again.
    ///
    /// Any sign of life only moves the moment away, so looking at the earliest one is enough.
    func endSilent(_ poller: Poller, _ multi: UnsafeMutableRawPointer) {
        nextLook = now + .seconds(3600)
        for transfer in Array(transfers.values) {
            guard transfer.lastHeard != nil, !transfer.waitsForReader else { continue }
            transfer.noticeProgress(poller)
            guard let heard = transfer.lastHeard else { continue }
            let deadline = heard + transfer.request.limits.idle
            if deadline <= now {
                end(transfer, multi, .failure(TransportError(.timedOut, "the other side fell silent")))
            } else {
                nextLook = min(nextLook, deadline, now + transfer.longestWithoutLook)
            }
        }
    }
}

extension Transfer {
    /// The longest time until the loop looks at it again. curl asks for more of a body only once the system has taken what it has: several
    /// megabytes, which a slow network may carry for longer than the limit on silence. So an upload is looked at in between.
    fileprivate var longestWithoutLook: Duration { request.limits.idle / (bodyReader == nil ? 1 : 4) }

    /// Counts it as a sign of life that the other side has confirmed bytes of the body since the last look.
    fileprivate func noticeProgress(_ poller: Poller) {
        guard bodyReader != nil, let handle, let socket = poller.socket(of: handle.easy) else { return }
        let left = aq_unconfirmed(socket)
        guard left >= 0 else { return }
        if left < lastUnconfirmed { heard() }
        lastUnconfirmed = left
    }
}
