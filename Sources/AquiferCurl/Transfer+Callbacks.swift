import Aquifer
import AquiferCCurl
import AquiferFoundation

/// The loop's side of a transfer: what curl calls while it carries it. All of it runs on the loop's thread.
extension Transfer {
    /// The connection is there, new or used again, and the request is about to go out. `false` keeps it from going out there.
    func connected(_ localPort: Int32, _ remote: UnsafePointer<CChar>?, _ remotePort: Int32) -> Bool {
        let connection = Poller.Connection(
            localPort: localPort, remote: remote.map { String(cString: $0) } ?? "", remotePort: remotePort)
        if let handle, handle.isOnKeptConnection {
            mustBeginAnew = owner.loop.hasStrayInput(connection, handle)
            if mustBeginAnew { return false }
        } else if let socket = sockets.first(where: connection.isOn) {
            owner.loop.sockets[socket] = connection
        }
        self.connection = connection
        heard()
        owner.loop.watch(self)
        return true
    }

    /// A socket was opened for the transfer. If the request may be sent for a while only, the system discards what it has not sent by then.
    func opened(_ socket: curl_socket_t) -> Bool {
        sockets.append(socket)
        guard request.maySend != nil else { return true }
        let longest = request.limits.total ?? request.limits.idle
        return aq_set_discarding(socket, UInt32(longest.milliseconds(in: 1...Int(Int32.max)))) == 0
    }

    private func stopDiscarding() {
        guard let connection else { return }
        for socket in sockets where connection.isOn(socket) { aq_stop_discarding(socket) }
    }

    /// Any sign of life.
    func heard() { lastHeard = owner.loop.now }

    /// A line of the head; `false` stops the transfer.
    func received(headerLine line: UnsafeRawBufferPointer) -> Bool {
        heard()
        switch parser.add(line) {
        case .more:
            return true
        case .refused(let error):
            refusal = error
            return false
        case .complete(let status, var headers):
            let inflater: Inflater?
            do throws(TransportError) {
                inflater = try takeCodings(of: status, &headers)
            } catch {
                refusal = error
                return false
            }
            // An answer has come: the request was sent.
            if request.maySend != nil { stopDiscarding() }
            if let connection, handle?.isMultiplexed == true { owner.loop.carriesMany(connection) }
            let head = HTTPResponseHead(status: status, headers: headers, url: request.url)
            lock.lock()
            self.inflater = inflater
            heldHead = head
            lock.unlock()
            owner.loop.holdHead(of: self)
            return true
        }
    }

    /// Sets up the decoder of the body, if there has to be one. The head then speaks of the decoded body.
    ///
    /// - Throws: `.malformed` when it comes in a coding that was not asked for. curl would decode a transfer coding all
    ///   the same, and keep what it decodes without a bound.
    private func takeCodings(of status: Int, _ headers: inout HTTPHeaders) throws(TransportError) -> Inflater? {
        guard headers.codings("Transfer-Encoding").allSatisfy({ $0 == "chunked" }) else {
            throw TransportError(.malformed, "a transfer coding that was not asked for")
        }
        guard handle?.asksForGzip == true, status != 204, status != 304 else { return nil }
        let codings = headers.contentCodings
        if codings.isEmpty { return nil }
        guard codings == ["gzip"] || codings == ["x-gzip"] else {
            throw TransportError(.malformed, "a content coding that was not asked for")
        }
        guard let inflater = Inflater() else {
            throw TransportError(.interrupted, "there is no memory to decode the body")
        }
        headers["Content-Encoding"] = nil
        headers["Content-Length"] = nil
        return inflater
    }

    /// Bytes of the body; returns what curl's write callback is to return.
    func received(body bytes: UnsafeRawBufferPointer) -> Int {
        heard()
        guard !bytes.isEmpty else { return 0 }
        lock.lock()
        guard end == nil else {
            lock.unlock()
            return -1
        }
        guard unread.count < Transfer.highWater else {
            isPaused = true
            lock.unlock()
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        if let waiter = bodyWaiter {
            bodyWaiter = nil
            lock.unlock()
            waiter.resume(returning: .success(Data(bytes)))
        } else {
            unread.append(contentsOf: bytes)
            lock.unlock()
        }
        return bytes.count
    }

    /// The next bytes of the request's body; returns what curl's read callback is to return.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        heard()
        do throws(TransportError) {
            guard let bodyReader else { return 0 }
            let count = try bodyReader.read(into: buffer)
            if count > 0 { request.onSent?(bodyReader.position) }
            return count
        } catch {
            refusal = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// curl wants to send the body again, for a connection it used again turned out to be dead.
    func rewind(to offset: UInt64) -> Bool {
        guard request.method.isIdempotent || bodyReader?.hasBeenRead != true else {
            refusal = TransportError(.interrupted, "the connection ended; \(request.method.rawValue) is not sent twice")
            return false
        }
        bodyReader?.seek(to: offset)
        return true
    }

    /// Hands the head to its reader. The bytes that came with it are there, too, and often the end: the reader is woken once for all of them.
    func deliverHead() {
        lock.lock()
        let (head, waiter) = (heldHead, headWaiter)
        heldHead = nil
        if head != nil { headWaiter = nil }
        lock.unlock()
        // Without a waiter, the reader has gone.
        if let head { waiter?.resume(returning: .success(head)) }
    }

    /// The transfer has left curl's hands.
    func finish(_ result: Result<Void, TransportError>) {
        lock.lock()
        guard end == nil else { return lock.unlock() }
        end = result
        let body = bodyWaiter
        bodyWaiter = nil
        // A head that is held is handed over at the end of the turn, whatever the end is.
        let headless = heldHead == nil ? headWaiter : nil
        if headless != nil { headWaiter = nil }
        lock.unlock()
        headless?.resume(returning: result.flatMap { .failure(TransportError(.malformed, "an answer without a head")) })
        body?.resume(returning: result.map { nil })
    }

    /// True if the reader is the one who is slow.
    var waitsForReader: Bool {
        lock.lock()
        defer { lock.unlock() }
        return isPaused
    }

    /// True if the reader has gone (or the transfer has ended).
    var isOver: Bool {
        lock.lock()
        defer { lock.unlock() }
        return end != nil
    }
}

/// Puts the head of an answer together from its lines: the last head, after those of 1xx answers.
struct HeadParser {
    enum Step {
        /// Not yet whole, or a line after the head (a trailer).
        case more
        case complete(status: Int, headers: HTTPHeaders)
        case refused(TransportError)
    }

    private let limit: Int
    private var bytes = 0
    private var status = 0
    private var fields: [HTTPHeaders.Field] = []
    private(set) var isComplete = false

    /// A parser that refuses more than `limit` bytes of lines.
    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one line with its line break.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
        // Counted over every head of the answer and the trailers, all of which curl keeps: endless ones end, too.
        bytes += line.count
        guard bytes <= limit else {
            return .refused(TransportError(.headersTooLarge, "more than \(limit) bytes of header fields"))
        }
        // Trailers say nothing that anybody here asks for.
        guard !isComplete else { return .more }
        let text = line.trimmed
        if line.starts(with: "HTTP/".utf8) {
            fields.removeAll(keepingCapacity: true)
            let words = text.split(separator: UInt8(ascii: " "), maxSplits: 2)
            status = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
            return (100...999).contains(status) ? .more : .refused(TransportError(.malformed, "no status code"))
        }
        if text.isEmpty {
            guard status >= 200 else { return .more }
            isComplete = true
            return .complete(status: status, headers: HTTPHeaders(fields))
        }
        if let first = line.first, first == 0x20 || first == 0x09 {
            // A continued line (RFC 9112, 5.2): obsolete, and one value all the same.
            if !fields.isEmpty { fields[fields.count - 1].value += " " + text.fieldValue }
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            let name = UnsafeRawBufferPointer(rebasing: text[..<colon])
            let value = UnsafeRawBufferPointer(rebasing: text[(colon + 1)...])
            fields.append(.init(name.text, value.trimmed.fieldValue))
        }
        return .more
    }
}

// Not generic: a field of each answer is read here, and code for any collection asks the runtime for its types.
extension UnsafeRawBufferPointer {
    /// Without the white space around it.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        guard let first = firstIndex(where: { $0 > 0x20 }), let last = lastIndex(where: { $0 > 0x20 }) else {
            return UnsafeRawBufferPointer(rebasing: self[endIndex...])
        }
        return UnsafeRawBufferPointer(rebasing: self[first...last])
    }

    /// As text in which a line break within the line, of which some servers are capable, is a space (RFC 9110, 5.5):
    /// whoever passes the value on passes one line on.
    fileprivate var fieldValue: String {
        guard contains(where: Self.breaksLine) else { return text }
        return map { Self.breaksLine($0) ? 0x20 : $0 }.withUnsafeBytes { $0.text }
    }

    private static func breaksLine(_ byte: UInt8) -> Bool { byte == 0 || byte == 0x0A || byte == 0x0D }

    /// As UTF-8 if that is what it is, else as the Latin-1 that HTTP once said it was: no byte is lost.
    fileprivate var text: String {
        if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
        return String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}
