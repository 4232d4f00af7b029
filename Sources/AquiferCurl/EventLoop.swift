import Aquifer
import AquiferCCurl
import AquiferConcurrency
import AquiferFoundation

/// Ends the loop's thread with the last one who needs it: the client, and every transfer that is not done with.
final class LoopOwner: Sendable {
    let loop: EventLoop

    init(_ configuration: CurlHTTPClient.Configuration) {
        loop = EventLoop(configuration)
    }

    deinit { loop.stop() }
}

/// The one thread that calls curl. Others leave it commands.
final class EventLoop: @unchecked Sendable {
    enum Command {
        case add(Transfer)
        case cancel(Transfer)
        case resume(Transfer)
    }

    /// The number of idle handles that are kept for the next transfers.
    private static let spareHandles = 128

    private let configuration: CurlHTTPClient.Configuration

    /// Guards everything down to the next line.
    private let lock = Lock()
    private var commands: [Command] = []
    private var isAsleep = false
    private var isStopped = false
    private var multi: UnsafeMutableRawPointer?
    private var poller: Poller?
    private var count = 0

    // ---- Below: the loop's thread only. ----

    /// The time as of the last awakening: near enough for limits, and nothing to ask for.
    private(set) var now = ContinuousClock.now
    var nextLook = ContinuousClock.now
    private(set) var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    /// The sockets of connections that carry one transfer at a time. Some may be closed, and their numbers used again.
    var sockets: [curl_socket_t: Poller.Connection] = [:]
    private var spares: [EasyHandle] = []
    private var certificates: String?
    /// The transfers whose heads came in this turn.
    private var heads: [Transfer] = []

    init(_ configuration: CurlHTTPClient.Configuration) {
        self.configuration = configuration
    }

    /// The number of transfers that curl holds.
    var transfersInFlight: Int {
        lock.lock()
        defer { lock.unlock() }
        return count
    }

    /// Leaves a command, in order. Wakes the thread only if it sleeps, and starts it with the first.
    func push(_ command: Command) {
        lock.lock()
        commands.append(command)
        if multi == nil { return startAndUnlock() }
        let sleeper = isAsleep ? poller : nil
        isAsleep = false
        lock.unlock()
        sleeper?.wake()
    }

    /// Ends the thread. Only the owner calls this, at its end: no command comes after it.
    func stop() {
        lock.lock()
        isStopped = true
        poller?.wake()
        lock.unlock()
    }

    /// The caller holds the lock.
    ///
    /// - Throws: `.cannotConnect` when the system gives no memory, no descriptors or no thread for it.
    private func start() throws(TransportError) {
        guard let multi = curl_multi_init() else { throw .outOfMemory("a transfer") }
        do throws(TransportError) {
            let poller = try Poller(multi)
            aq_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maxConnectionsPerHost)
            // The thread waits for the lock, under which it finds both.
            do throws(SystemThread.Unavailable) {
                try SystemThread.start(named: "AquiferCurl") { [self] in run() }
            } catch { throw TransportError.outOfResources("a thread", error.code) }
            (self.multi, self.poller) = (multi, poller)
        } catch {
            curl_multi_cleanup(multi)
            throw error
        }
    }

    /// Why curl cannot be used now, and what to do; `nil` if it can. Asked before anything is pushed.
    static var obstacle: String? { library.obstacle }

    private static let library = CurlLibrary {
        if let missing = aq_curl_missing() { return String(cString: missing) }
        let code = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        return code == CURLE_OK ? nil : String(cString: curl_easy_strerror(code))
    }
}

// MARK: - The thread

extension EventLoop {
    private func run() {
        guard let (multi, poller) = lock.withLock({ multi.flatMap { multi in poller.map { (multi, $0) } } }) else {
            return
        }
        // A connection that ends as TLS writes to it is an error of that transfer, not the end of the process.
        SystemThread.blockBrokenPipes()
        let environment = ProcessInfo.processInfo.environment
        certificates = environment["CURL_CA_BUNDLE"] ?? environment["SSL_CERT_FILE"]

        while poller.failure == nil, let batch = takeCommands() {
            now = .now
            for command in batch { carryOut(command, multi) }
            poller.runDue(.now)
            finishDone(multi)
            deliverHeads()
            if poller.failure != nil { break }
            if nextLook <= now { endSilent(poller, multi) }
            poller.wait(until: maySleep() ? nextLook : now)
            now = .now
            poller.runReady()
            finishDone(multi)
            deliverHeads()
        }
        endAll(multi, poller.failure)
        if poller.failure != nil { startAnew() }
    }

    /// Ends all transfers. When curl itself failed, for want of memory, it does not say which of them it lost.
    private func endAll(_ multi: UnsafeMutableRawPointer, _ failure: CURLMcode?) {
        for transfer in Array(transfers.values) {
            let error = failure.map { failure in
                let kind: TransportError.Kind = transfer.lastHeard == nil ? .cannotConnect : .interrupted
                return TransportError(kind, "curl failed: \(String(cString: curl_multi_strerror(failure)))")
            }
            end(transfer, multi, .failure(error ?? .cancelled))
        }
        spares.removeAll()
        sockets.removeAll()
        curl_multi_cleanup(multi)
    }

    /// Leaves the next requests to another thread with another handle of curl. One that has failed is not safe to use: libcurl 7.88 keeps what it could
    /// not make of a socket, and divides by its size of zero when the number of the socket comes again.
    private func startAnew() {
        lock.lock()
        (multi, poller) = (nil, nil)
        startAndUnlock()
    }

    /// Starts a thread for the commands that were left. The caller holds the lock, which ends here.
    private func startAndUnlock() {
        var stranded: [Command] = []
        do throws(TransportError) {
            if !commands.isEmpty { try start() }
            lock.unlock()
        } catch {
            swap(&stranded, &commands)
            lock.unlock()
            // Without a loop there is nothing to cancel and nothing to resume. The next request tries to start it again.
            for case .add(let transfer) in stranded { transfer.finish(.failure(error)) }
        }
    }

    /// The commands that were left since the last time; `nil` when the owner is gone.
    private func takeCommands() -> [Command]? {
        lock.lock()
        defer { lock.unlock() }
        isAsleep = false
        count = transfers.count
        guard !isStopped || !commands.isEmpty else { return nil }
        defer { commands.removeAll(keepingCapacity: true) }
        return commands
    }

    /// Decided under the lock, so that a command comes either before the sleep or with an awakening.
    private func maySleep() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        count = transfers.count
        isAsleep = commands.isEmpty && !isStopped
        return isAsleep
    }

    private func carryOut(_ command: Command, _ multi: UnsafeMutableRawPointer) {
        switch command {
        case .add(let transfer):
            // A cancel may have been carried out before its add.
            if !transfer.isOver { add(transfer, multi) }
        case .cancel(let transfer):
            end(transfer, multi, .failure(.cancelled))
        case .resume(let transfer):
            guard let handle = transfer.handle else { return }
            transfer.heard()
            watch(transfer)
            curl_easy_pause(handle.easy, CURLPAUSE_CONT)
        }
    }

    /// Hands the head of the transfer to its reader at the end of this turn.
    func holdHead(of transfer: Transfer) { heads.append(transfer) }

    private func deliverHeads() {
        for transfer in heads { transfer.deliverHead() }
        heads.removeAll(keepingCapacity: true)
    }

    private func add(_ transfer: Transfer, _ multi: UnsafeMutableRawPointer) {
        guard let handle = spares.popLast() ?? EasyHandle() else {
            return transfer.finish(.failure(TransportError(.cannotConnect, "curl is out of memory")))
        }
        transfer.handle = handle
        transfer.bodyReader = transfer.request.body.map(BodyReader.init)
        transfers[handle.easy] = transfer
        transfer.begunAt = now
        watch(transfer)
        do throws(TransportError) {
            try handle.prepare(for: transfer, configuration, certificates: certificates)
        } catch {
            return end(transfer, multi, .failure(error))
        }
        hand(transfer, handle, multi)
    }

    private func hand(_ transfer: Transfer, _ handle: EasyHandle, _ multi: UnsafeMutableRawPointer) {
        let code = curl_multi_add_handle(multi, handle.easy)
        if code != CURLM_OK {
            let text = String(cString: curl_multi_strerror(code))
            end(transfer, multi, .failure(TransportError(.cannotConnect, text)))
        }
    }

    /// Begins a transfer once more of which nothing was sent. That is no attempt of its own: its limits go on.
    private func beginAnew(_ transfer: Transfer, _ handle: EasyHandle, _ multi: UnsafeMutableRawPointer) {
        transfer.mustBeginAnew = false
        curl_multi_remove_handle(multi, handle.easy)
        handle.beginAnew(within: transfer.request.limits.total.map { $0 - (now - transfer.begunAt) })
        hand(transfer, handle, multi)
    }

    /// Takes a transfer out of curl's hands, which closes its connection or stream if it is not at its end.
    func end(
        _ transfer: Transfer, _ multi: UnsafeMutableRawPointer, _ result: Result<Void, TransportError>
    ) {
        guard let handle = transfer.handle else { return }
        transfer.handle = nil
        transfer.bodyReader = nil
        transfers[handle.easy] = nil
        curl_multi_remove_handle(multi, handle.easy)
        handle.reset()
        if spares.count < EventLoop.spareHandles { spares.append(handle) }
        transfer.finish(result)
    }

    private func finishDone(_ multi: UnsafeMutableRawPointer) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let transfer = transfers[message.pointee.easy_handle],
                let handle = transfer.handle
            else { continue }
            let code = message.pointee.data.result
            if transfer.mustBeginAnew {
                beginAnew(transfer, handle, multi)
            } else if code == CURLE_OK {
                end(transfer, multi, .success(()))
            } else {
                let isConnected = transfer.lastHeard != nil
                var error = handle.error(for: code, isConnected: isConnected, transfer.socketFailure)
                // curl sends a request by itself again when a connection that it had kept ends without an answer.
                if isConnected { error = error.afterSending(by: transfer.request.method) }
                end(transfer, multi, .failure(transfer.refusal ?? error))
            }
        }
    }
}
