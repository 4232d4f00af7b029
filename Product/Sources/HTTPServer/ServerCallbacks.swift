import CMicrohttpd
import Foundation

// The functions that libmicrohttpd calls, on its own threads. All of a connection's calls come on one thread.

/// Comes once with a request's head, once for each piece of its body, and (again and again, if it is suspended) for
/// the answer.
func handleAccess(
    _ cls: UnsafeMutableRawPointer?, _ mhd: OpaquePointer?, _ url: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ data: UnsafePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let cls, let mhd, let url, let method, let size, let context else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue()
    guard let known = context.pointee else {
        return begin(
            core: core, mhd: mhd, url: url, head: method,
            version: version.map { String(cString: $0) } ?? "", context: context)
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    exchange.startIfNeeded()
    if size.pointee > 0 {
        switch exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee)) {
        case .goOn, .answer: size.pointee = 0
        case .wait: break
        case .close: return .NO
        }
        return .YES
    }
    exchange.finishUpload()
    switch exchange.answerOrSuspend() {
    case .goOn, .wait: return .YES
    case .close: return .NO
    case .answer(let response):
        return MHDResponse.queue(response, on: mhd, for: exchange, serverName: core.configuration.serverName)
    }
}

/// The head has arrived. It is only stored: answering or suspending here would cost the connection its keep-alive.
/// That is just right for what is refused.
private func begin(
    core: ServerCore, mhd: OpaquePointer, url: UnsafePointer<CChar>, head start: UnsafePointer<CChar>, version: String,
    context: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) -> MHD_Result {
    guard let object = aq_mhd_socket_context(mhd) else { return .NO }
    let connection = Unmanaged<Connection>.fromOpaque(object).takeUnretainedValue()
    let arrival = Arrival(core: core, mhd: mhd, connection: connection)
    do throws(Arrival.EarlyAnswer) {
        let head = try arrival.head(target: String(cString: url), start: start, version: version)
        let isKnown = try arrival.isKnown(head)
        let exchange = try arrival.exchange(for: head, isKnown: isKnown)
        connection.begin(exchange)
        context.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return .YES
    } catch {
        connection.refuse()
        let response = error.isOfGate ? error.response : core.refused(error.request, error.response)
        return MHDResponse.queue(response, on: mhd, for: nil, serverName: core.configuration.serverName)
    }
}

/// libmicrohttpd has refused a request whose head or body it could not read.
func requestRefused(_ cls: UnsafeMutableRawPointer?, _ status: UInt32) {
    guard let cls else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue()
    core.libraryRefuses(Int(status))
}

/// A request whose head has arrived.
private struct Arrival {
    /// A request that goes no further, and its answer.
    struct EarlyAnswer: Error {
        let response: ServerResponse
        /// The request, if its head could be read.
        var request: ServerRequest?
        /// True if the gate has decided so.
        var isOfGate = false

        init(_ status: Int, _ reason: String, _ request: ServerRequest? = nil) {
            response = .refusal(status, reason)
            self.request = request
        }

        init(ofGate response: ServerResponse) { (self.response, isOfGate) = (response, true) }
    }

    let core: ServerCore
    let mhd: OpaquePointer
    let connection: Connection

    /// The request's head, if it is sound.
    func head(target: String, start: UnsafePointer<CChar>, version: String) throws(EarlyAnswer) -> ServerRequest {
        let size = aq_mhd_header_size(mhd)
        let most = core.configuration.maxHeaderBytes
        guard size <= most else { throw EarlyAnswer(431, "the head is larger than the \(most) bytes allowed") }
        guard !connection.isExcess else { throw EarlyAnswer(503, "too many connections") }
        let fields = Fields(of: mhd)
        // The method is what a head begins with.
        let method = String(cString: start)
        guard fields.raw.hidesNothing(start: start, count: size) else {
            throw EarlyAnswer(400, "a header's line goes on in the next one, or holds what no header may hold")
        }
        if let fault = RequestHead.fault(method: method, target: target, version: version, headers: fields.headers) {
            throw EarlyAnswer(400, fault)
        }
        let hasBody = fields.headers.announcedLength > 0 || fields.headers["Transfer-Encoding"] != nil
        return ServerRequest(
            method: HTTPMethod(rawValue: method), rawPath: Fields.path(of: target), query: fields.query,
            headers: fields.headers,
            remoteAddress: connection.remoteAddress, body: hasBody ? .unread : .empty)
    }

    /// True if the gate knows the sender of a request; false if it lets it in all the same.
    func isKnown(_ head: ServerRequest) throws(EarlyAnswer) -> Bool {
        switch core.gate(head) {
        case .known:
            connection.becomeKnown()
            return true
        case .unknown: return false
        case .refused(let response): throw EarlyAnswer(ofGate: response)
        }
    }

    /// The exchange that handles a request, unless its body is far too large or the server is being stopped.
    func exchange(for head: ServerRequest, isKnown: Bool) throws(EarlyAnswer) -> Exchange {
        let limit = core.configuration.maxBodyBytes(at: head.rawPath)
        let tooLarge = ServerBodyError.tooLarge(limit: limit)
        let excess = head.headers.announcedLength - limit
        guard excess <= Exchange.patience else { throw EarlyAnswer(413, tooLarge.description, head) }
        guard core.admit() else { throw EarlyAnswer(503, "the server is being stopped", head) }
        let hasBody = !head.body.isAbsent
        let exchange = Exchange(
            mhd: mhd, connection: connection, core: core, isKnown: isKnown, isHead: head.method == "HEAD",
            hasUpload: hasBody, isChunked: head.headers["Transfer-Encoding"] != nil, maxBodyBytes: limit)
        if excess > 0 {
            exchange.refuse(with: core.refused(head, tooLarge.response))
        } else {
            exchange.prepare(head.with(body: hasBody ? ServerRequestBody(source: .upload(exchange)) : .empty))
        }
        return exchange
    }
}

extension HTTPHeaders {
    /// The length that a request announces for its body. A number that does not fit is as good as the largest.
    fileprivate var announcedLength: Int { self["Content-Length"]?.count() ?? 0 }
}

/// The daemon is done with a request: answered, cut or left.
func requestCompleted(
    _ cls: UnsafeMutableRawPointer?, _ mhd: OpaquePointer?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_RequestTerminationCode
) {
    guard let known = context?.pointee else { return }
    context?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    let configuration = exchange.core.configuration
    exchange.connection.end(headDeadline: .now + configuration.idleTimeout + configuration.headTimeout)
    exchange.completed(asPlanned: aq_mhd_is_answered(code) != 0)
}

/// A connection was opened, or is about to be closed.
func connectionChanged(
    _ cls: UnsafeMutableRawPointer?, _ mhd: OpaquePointer?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ code: MHD_ConnectionNotificationCode
) {
    guard let cls, let mhd, let context else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(cls).takeUnretainedValue()
    if aq_mhd_is_opened(code) != 0 {
        let connection = core.open(
            mhd, socket: aq_mhd_socket(mhd), remoteAddress: numericHost(aq_mhd_client_address(mhd)))
        context.pointee = Unmanaged.passRetained(connection).toOpaque()
    } else if let known = context.pointee {
        context.pointee = nil
        core.close(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
    }
}

/// The header fields and query items of a request, copied: libmicrohttpd's own die with it.
private struct Fields {
    var headers = HTTPHeaders()
    var query: [(name: String, value: String)] = []
    var raw = RawHead()

    init(of mhd: OpaquePointer) {
        withUnsafeMutablePointer(to: &self) { fields in
            _ = aq_mhd_fields(mhd, collectField, fields)
        }
    }

    /// The path of a request's target, which may be a whole URL (RFC 9112, 3.2.2).
    static func path(of target: String) -> String {
        guard !target.hasPrefix("/"), let scheme = target.range(of: "://") else { return target }
        return target[scheme.upperBound...].firstIndex(of: "/").map { String(target[$0...]) } ?? "/"
    }
}

private func collectField(
    _ cls: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?, _ keySize: Int,
    _ value: UnsafePointer<CChar>?, _ valueSize: Int
) -> MHD_Result {
    guard let fields = cls?.assumingMemoryBound(to: Fields.self) else { return .NO }
    let name = String(decoding: UnsafeRawBufferPointer(start: key, count: keySize), as: UTF8.self)
    let text = value.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: valueSize), as: UTF8.self) } ?? ""
    if aq_mhd_is_header(kind) != 0 {
        fields.pointee.raw.add(key, keySize, value, valueSize)
        fields.pointee.headers.add(name, text)
    } else {
        // Plus signs are spaces already.
        fields.pointee.query.append((PercentEncoding.decode(name), PercentEncoding.decode(text)))
    }
    return .YES
}
