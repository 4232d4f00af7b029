import AquiferConcurrency
import Foundation
import HTTPServer

/// Counts a remote's transfers, and spoils its answers by the fault that was set.
final class FaultInjector: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var current = Fault.none
    /// True if the fault ``Fault/staleBlockhash`` was set and has not hit yet.
    nonisolated(unsafe) private var isStaleDue = false
    private let clock: any Clock<Duration>
    private let charges: Charges
    let log = RequestLog()

    // No task local is a function: with one, Swift 6.3.1's optimiser makes a program that crashes.

    /// The injector that pauses for each piece of a posted body; `nil` under other faults than ``Fault/slow``.
    @TaskLocal static var slowing: FaultInjector?

    /// The injector that knows which transaction is refused; `nil` under other faults than ``Fault/staleBlockhash``.
    @TaskLocal static var expiring: FaultInjector?

    /// The mark that a remote sets when the request has done something; `nil` when no answer can be lost.
    @TaskLocal static var deed: Deed?

    /// The requests that do something, such as charging somebody: their answers can be lost.
    enum Charges {
        case nothing
        /// Every `POST`.
        case posts
        /// Those that the remote marks in ``FaultInjector/deed``: some `POST`s only ask.
        case deeds
    }

    /// The mark of a request that has done something.
    final class Deed: Sendable {
        private let lock = Lock()
        nonisolated(unsafe) private var done = false

        var isDone: Bool {
            get { lock.withLock { done } }
            set { lock.withLock { done = newValue } }
        }
    }

    init(clock: any Clock<Duration>, charges: Charges = .nothing) {
        self.clock = clock
        self.charges = charges
    }

    var fault: Fault {
        get { lock.withLock { current } }
        set {
            lock.withLock {
                current = newValue
                isStaleDue = newValue == .staleBlockhash
            }
        }
    }

    /// The answer of `handler`, spoilt by the fault of the moment.
    func answer(_ request: ServerRequest, _ handler: ServerHandler) async -> ServerResponse {
        let number = log.begin(request)
        let fault = effect(of: fault, on: request)
        switch fault {
        case .offline:
            log.end(whole: false)
            return .drop
        case .answerLost:
            let deed = Deed()
            let response = await Self.$deed.withValue(deed) { await handler(request) }
            guard charges == .posts || deed.isDone else { return send(response, to: request, number, fault) }
            log.end(whole: false)
            return .drop
        case .staleBlockhash:
            let response = await Self.$expiring.withValue(self) { await handler(request) }
            return send(response, to: request, number, fault)
        case .failing:
            // A server that is out of order does not charge anybody. It reads on, so that the client reads its answer.
            await request.body.drain()
            return send(outOfOrder, to: request, number, fault)
        case .slow:
            do { try await clock.sleep(for: .milliseconds(800)) } catch {
                log.end(whole: false)
                return .drop
            }
            let response = await Self.$slowing.withValue(self) { await handler(request) }
            return send(response, to: request, number, fault)
        default:
            return send(spoil(fault, await handler(request)), to: request, number, fault)
        }
    }

    /// Only requests that charge lose their answers: a client that was charged can still ask.
    private func effect(of fault: Fault, on request: ServerRequest) -> Fault {
        guard fault == .answerLost else { return fault }
        guard charges != .nothing else { return .cut }
        return request.method == "POST" ? .answerLost : .none
    }

    /// True for the first transaction since the fault was set, and for no other.
    func takeStaleness() -> Bool {
        lock.withLock {
            defer { isStaleDue = false }
            return isStaleDue
        }
    }

    private var outOfOrder: ServerResponse { .error(503, "out of order") }

    private func spoil(_ fault: Fault, _ response: ServerResponse) -> ServerResponse {
        guard fault == .garbage else { return response }
        var garbage = ServerResponse.json(Data(#"{"items":"soon"}"#.utf8))
        garbage.headers["Content-Type"] = response.headers["Content-Type"]
        return garbage
    }

    /// Waits for a piece of a posted body, in proportion to its bytes.
    func pause(for bytes: Int) async throws {
        try await clock.sleep(for: .milliseconds(150) * (Double(bytes) / Double(64 << 10)))
    }

    // MARK: Bodies

    /// Counts the answer. It is sent as a stream if it is cut, trickles, or comes from a file: the bytes of a file that
    /// the kernel sends cannot be counted.
    private func send(
        _ response: ServerResponse, to request: ServerRequest, _ number: Int, _ fault: Fault
    ) -> ServerResponse {
        log.answered(number, status: response.status)
        let isSent = request.method != "HEAD" && response.status != 304
        guard isSent, let bytes = BodyBytes(response.body), bytes.length > 0 else {
            log.end(whole: true)
            return response
        }
        var file: String?
        if case .file = response.body { file = request.path }
        guard file != nil || fault == .slow || fault.cuts(bytes.length) != nil else {
            log.sent(number, Int(bytes.length), file: nil)
            log.end(whole: true)
            return response
        }
        var response = response
        response.body = .stream(length: bytes.length) { [self, file] writer in
            do {
                try await FileThreads.run {
                    try await stream(bytes, fault) { [log] data in
                        log.sent(number, data.count, file: file)
                        do { try await writer.write(data) } catch {
                            log.takeBack(number, data.count, file: file)
                            throw error
                        }
                    }
                }
                log.end(whole: true)
            } catch {
                log.end(whole: false)
                throw error
            }
        }
        return response
    }

    private struct Cut: Error {}

    private func stream(_ bytes: BodyBytes, _ fault: Fault, _ write: (Data) async throws -> Void) async throws {
        if let end = fault.cuts(bytes.length) {
            try await bytes.read(upTo: end, pieces: BodyBytes.piece, write)
            throw Cut()
        }
        guard fault == .slow else {
            return try await bytes.read(upTo: bytes.length, pieces: BodyBytes.piece, write)
        }
        // The body is sent in eight steps, whatever its length.
        let step = max(1, bytes.length / 8)
        var sinceRest: UInt64 = 0
        try await bytes.read(upTo: bytes.length, pieces: Int(min(step, UInt64(BodyBytes.piece)))) { data in
            try await write(data)
            sinceRest += UInt64(data.count)
            guard sinceRest >= step else { return }
            sinceRest = 0
            try await clock.sleep(for: .milliseconds(150))
        }
    }
}

extension Fault {
    /// The number of bytes after which a body of this length is cut; `nil` if it is not.
    fileprivate func cuts(_ length: UInt64) -> UInt64? {
        switch self {
        case .cut: length / 2
        case .cutAt(let bytes): bytes < length ? bytes : nil
        default: nil
        }
    }
}

extension ServerRequestBody {
    /// Reads the rest of the body and drops it: many clients read no answer before they have sent everything.
    func drain() async {
        do throws(ServerBodyError) {
            var rest = makeAsyncIterator()
            while try await rest.next(isolation: #isolation) != nil {}
        } catch {
            // The body is too long, which the server reports, or the client has gone.
        }
    }
}
