import Aquifer
import CCurl
import Foundation

/// The loop's side of a transfer: what curl calls while it carries it. All of it runs on the loop's thread.
extension Transfer {
    /// The connection is there, new or used again, and the request is about to go out.
    func connected() {
        heard()
        owner.loop.watch(self)
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
            lock.lock()
            self.inflater = inflater
            let waiter = headWaiter
            headWaiter = nil
            lock.unlock()
            waiter?.resume(returning: .success(HTTPResponseHead(status: status, headers: headers, url: request.url)))
            return true
        }
    }

    /// Sets up the decoder of the body, if there has to be one. The head then speaks of the decoded body.
    ///
    /// - Throws: `.malformed` when it comes in a coding that was not asked for. curl would decode a transfer coding all
    ///   the same, and keep what it decodes without a bound.
    private func takeCodings(of status: Int, _ headers: inout HTTPHeaders) throws(TransportError) -> Inflater? {
        guard headers.codings("Transfer-Encoding").allSatisfy({ ["chunked", "identity"].contains($0) }) else {
            throw TransportError(.malformed, "a transfer coding that was not asked for")
        }
        guard handle?.asksForGzip == true, status != 204, status != 304 else { return nil }
        let codings = headers.codings("Content-Encoding").filter { $0 != "identity" }
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

    /// The transfer has left curl's hands.
    func finish(_ result: Result<Void, TransportError>) {
        lock.lock()
        guard end == nil else { return lock.unlock() }
        end = result
        let (head, body) = (headWaiter, bodyWaiter)
        (headWaiter, bodyWaiter) = (nil, nil)
        lock.unlock()
        head?.resume(returning: result.flatMap { .failure(TransportError(.malformed, "an answer without a head")) })
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

extension HTTPHeaders {
    /// The codings that a field lists, over all its lines, in lower case.
    fileprivate func codings(_ name: String) -> [String] {
        // Most answers have none: looking for the first is cheaper than listing all.
        guard self[name] != nil else { return [] }
        return values(of: name)
            .flatMap { $0.lowercased().split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

func curlReceivedHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
)
    -> Int
{
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.received(headerLine: line) == true ? line.count : -1
}

func curlReceivedBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
)
    -> Int
{
    transfer(context)?.received(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? -1
}

func curlSends(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?)
    -> Int
{
    transfer(context)?.send(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
}

func curlSeeks(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32) -> Int32 {
    guard origin == SEEK_SET, offset >= 0, transfer(context)?.rewind(to: UInt64(offset)) == true else {
        return Int32(CURL_SEEKFUNC_FAIL)
    }
    return Int32(CURL_SEEKFUNC_OK)
}

func curlConnected(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    transfer(context)?.connected()
    return Int32(CURL_PREREQFUNC_OK)
}
