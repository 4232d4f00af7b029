import Aquifer
import AquiferCCurl
import AquiferCZlib
import AquiferFoundation

/// One of curl's easy handles with the memory that curl borrows from us. Used for one transfer after another.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var connectTo: UnsafeMutablePointer<curl_slist>?
    /// True if the request asks for a compressed answer of its own accord: it is then decoded (see `Inflater`).
    private(set) var asksForGzip = false
    /// True if curl had no memory for a part of the request, which would be sent without it.
    private var isIncomplete = false

    init?() {
        guard let easy = curl_easy_init() else {
            message.deallocate()
            return nil
        }
        self.easy = easy
    }

    deinit {
        curl_easy_cleanup(easy)
        freeLists()
        message.deallocate()
    }

    /// The failure in curl's words.
    func text(for code: CURLcode) -> String {
        message.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: message)
    }

    /// Forgets the last transfer, but not its connection.
    func reset() {
        curl_easy_reset(easy)
        freeLists()
    }

    /// The number of bytes of the body that the system has taken from curl.
    var sent: Int {
        var count: curl_off_t = 0
        return aq_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &count) == CURLE_OK ? Int(count) : 0
    }

    /// True if the transfer that is connected goes over a connection that was kept, or that others use, too.
    var isOnKeptConnection: Bool {
        var made = 1
        return aq_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &made) == CURLE_OK && made == 0
    }

    /// True if bytes of its connection are held below curl.
    var holdsInput: Bool { aq_curl_holds_input(easy) != 0 }

    /// True if the connection of the answer that has come carries several transfers at once.
    var isMultiplexed: Bool {
        var version = 0
        return aq_curl_get_long(easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK && version >= CURL_HTTP_VERSION_2_0
    }

    /// Has the connection closed behind the transfer, or behind the last one that it carries.
    func forbidReuse() { set(CURLOPT_FORBID_REUSE, 1) }

    /// Makes the same transfer begin once more, on a new connection.
    func beginAnew(within rest: Duration?) {
        message.pointee = 0
        set(CURLOPT_FRESH_CONNECT, 1)
        if let rest { set(CURLOPT_TIMEOUT_MS, Self.milliseconds(rest)) }
    }

    /// Makes the handle carry a transfer.
    ///
    /// - Throws: `.malformed` when the request cannot be written down as HTTP; `.cannotConnect` when curl has no memory
    ///   for it.
    func prepare(for transfer: Transfer, _ configuration: CurlHTTPClient.Configuration, certificates: String?)
        throws(TransportError)
    {
        let request = transfer.request
        message.pointee = 0
        isIncomplete = false
        set(CURLOPT_ERRORBUFFER, message)
        set(CURLOPT_NOSIGNAL, 1)
        // A transfer that ends while its host's name is looked up is let go at once: the look-up has a thread of its own,
        // which then ends by itself. Without this, curl waits for it, and with it every other transfer of the loop.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_URL, request.url.absoluteString)
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Four times curl's own: fewer callbacks for large bodies (a third faster), no loss for small ones.
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        set(CURLOPT_USERAGENT, configuration.userAgent)
        if let certificates { set(CURLOPT_CAINFO, certificates) }
        setCallbacks(for: transfer)
        setLimits(request.limits)
        setRoute(transfer.route, usesProxies: configuration.usesProxies)
        setBody(of: transfer)
        try setFields(of: request)
        if isIncomplete { throw .outOfMemory("a request") }
    }

    private func setCallbacks(for transfer: Transfer) {
        // Not retained: the loop holds every transfer that is in curl's hands.
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        aq_curl_set_transfer(easy, CURLOPT_HEADERFUNCTION, curlReceivedHeader)
        set(CURLOPT_HEADERDATA, context)
        aq_curl_set_transfer(easy, CURLOPT_WRITEFUNCTION, curlReceivedBody)
        set(CURLOPT_WRITEDATA, context)
        let asks = aq_curl_set_connected(easy, CURLOPT_PREREQFUNCTION, curlConnected) == CURLE_OK
        // A curl that is too old to ask must not send what may be sent for a while only.
        isIncomplete = isIncomplete || !asks && transfer.request.maySend != nil
        set(CURLOPT_PREREQDATA, context)
        note(aq_curl_set_opens(easy, CURLOPT_OPENSOCKETFUNCTION, curlOpens))
        set(CURLOPT_OPENSOCKETDATA, context)
        note(aq_curl_set_opened(easy, CURLOPT_SOCKOPTFUNCTION, curlOpened))
        set(CURLOPT_SOCKOPTDATA, context)
        guard transfer.bodyReader != nil else { return }
        aq_curl_set_transfer(easy, CURLOPT_READFUNCTION, curlSends)
        set(CURLOPT_READDATA, context)
        aq_curl_set_seek(easy, CURLOPT_SEEKFUNCTION, curlSeeks)
        set(CURLOPT_SEEKDATA, context)
    }

    /// The limit on silence is the loop's: curl counts it in seconds over a window of five.
    private func setLimits(_ limits: HTTPRequest.Limits) {
        set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(limits.connect))
        if let total = limits.total { set(CURLOPT_TIMEOUT_MS, Self.milliseconds(total)) }
    }

    private func setRoute(_ route: Route?, usesProxies: Bool) {
        if let route {
            connectTo = curl_slist_append(nil, route.connectTo)
            isIncomplete = isIncomplete || connectTo == nil
            note(aq_curl_set_pointer(easy, CURLOPT_CONNECT_TO, connectTo))
        }
        if route != nil || !usesProxies { set(CURLOPT_PROXY, "") }
    }

    private func setBody(of transfer: Transfer) {
        let method = transfer.request.method
        if let body = transfer.request.body, let length = curl_off_t(exactly: body.length) {
            set(CURLOPT_UPLOAD, 1)
            // With curl's own buffer of 64 KiB, as many bytes take four turns of the loop; with this one they take one.
            if length >= Self.largeBody { set(CURLOPT_UPLOAD_BUFFERSIZE, Self.uploadBuffer) }
            note(aq_curl_set_size(easy, CURLOPT_INFILESIZE_LARGE, length))
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        } else if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        } else if method == .get {
            set(CURLOPT_HTTPGET, 1)
        } else {
            set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        }
        // What may change something has a connection of its own. On a kept one, what a server sends unasked just then, such as the 408 of
        // an idle connection, would be the answer, and curl repeats by itself what has no body. An answer may come before the body is sent;
        // behind it nobody else may go on.
        guard !method.isSafe || transfer.request.maySend != nil else { return }
        set(CURLOPT_FRESH_CONNECT, 1)
        forbidReuse()
    }

    private func setFields(of request: HTTPRequest) throws(TransportError) {
        try request.checkHead()
        for field in request.headers.fields {
            add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if request.body != nil, request.headers["Expect"] == nil { add("Expect:") }
        asksForGzip =
            request.method != "HEAD" && request.headers["Range"] == nil && request.headers["Accept-Encoding"] == nil
            && aq_zlib_is_there() != 0
        // curl's own way of asking would have it decode.
        if asksForGzip { add("Accept-Encoding: gzip") }
        if fields != nil { note(aq_curl_set_pointer(easy, CURLOPT_HTTPHEADER, fields)) }
    }

    private func add(_ line: String) {
        // On failure curl leaves the list as it was. A request without its idempotency key must not be sent.
        guard let longer = curl_slist_append(fields, line) else {
            isIncomplete = true
            return
        }
        fields = longer
    }

    private func freeLists() {
        curl_slist_free_all(fields)
        curl_slist_free_all(connectTo)
        (fields, connectTo) = (nil, nil)
    }

    private func set(_ option: CURLoption, _ value: Int) { note(aq_curl_set_long(easy, option, value)) }
    private func set(_ option: CURLoption, _ value: String) { note(aq_curl_set_text(easy, option, value)) }
    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        note(aq_curl_set_pointer(easy, option, value))
    }

    /// The size of curl's buffer for a large body, and the least length of one, in bytes. `HTTPRequest.onSent` is called for each buffer: on a slow network,
    /// a smaller body would seem to stand still in between.
    private static let (uploadBuffer, largeBody) = (256 << 10, 8 << 20)

    /// At least 1: for curl, 0 is "no limit".
    private static func milliseconds(_ limit: Duration) -> Int { limit.milliseconds(in: 1...1_000_000_000) }

    /// An older curl may not know an option; only a lack of memory makes another request of this one.
    private func note(_ code: CURLcode) {
        if code == CURLE_OUT_OF_MEMORY { isIncomplete = true }
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

func curlOpens(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    var failure: Int32 = 0
    let opened = aq_open_socket(address, &failure)
    transfer(context)?.socketFailure = failure
    return opened
}

func curlOpened(_ context: UnsafeMutableRawPointer?, _ socket: curl_socket_t, _ purpose: curlsocktype) -> Int32 {
    transfer(context)?.opened(socket) == true ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR
}

func curlConnected(
    _ context: UnsafeMutableRawPointer?, _ remote: UnsafeMutablePointer<CChar>?, _ local: UnsafeMutablePointer<CChar>?,
    _ remotePort: Int32, _ localPort: Int32
) -> Int32 {
    guard let transfer = transfer(context) else { return Int32(CURL_PREREQFUNC_OK) }
    guard transfer.connected(localPort, remote, remotePort) else { return Int32(CURL_PREREQFUNC_ABORT) }
    do throws(TransportError) { try transfer.request.expectMaySend() } catch {
        transfer.refusal = error
        return Int32(CURL_PREREQFUNC_ABORT)
    }
    return Int32(CURL_PREREQFUNC_OK)
}
