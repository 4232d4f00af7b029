import Foundation

/// Server-sent events (WHATWG HTML, 9.2): a stream of small texts that a page listens to.
///
/// ```swift
/// ServerSentEvents.response { send in
///     for await state in states { try await send(event: "state", data: state) }
/// }
/// ```
public enum ServerSentEvents {
    /// Sends events to one client.
    public struct Sender: Sendable {
        let writer: ServerResponseWriter

        /// Sends an event; suspends while the client is slow.
        ///
        /// - Throws: `.closed` when the client has gone.
        public func callAsFunction(
            event: String? = nil, data: String, id: String? = nil
        ) async throws(ServerStreamError) {
            try await writer.write(ServerSentEvents.encode(event: event, data: data, id: id))
        }
    }

    /// An answer that lives as long as `body` runs and the client listens.
    ///
    /// When the client leaves, the task that runs `body` is cancelled and `send` throws. When `body` returns, the
    /// stream ends; a page's `EventSource` then connects anew.
    ///
    /// - Parameters:
    ///   - heartbeat: how often a comment is sent, so that proxies and sleeping clients show that they are there.
    ///   - clock: what measures `heartbeat`.
    public static func response(
        heartbeat: Duration = .seconds(15), clock: any Clock<Duration> = ContinuousClock(),
        _ body: @escaping @Sendable (Sender) async throws -> Void
    ) -> ServerResponse {
        ServerResponse(
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no",
            ],
            body: .stream(length: nil) { writer in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        // Sent at once, so that the page knows that it is connected before the first event.
                        try await writer.write(Data(":\n\n".utf8))
                        while true {
                            try await clock.sleep(for: heartbeat)
                            try await writer.write(Data(":\n\n".utf8))
                        }
                    }
                    group.addTask { try await body(Sender(writer: writer)) }
                    // Whichever ends first ends both: the body's end, or a heartbeat that found nobody.
                    defer { group.cancelAll() }
                    try await group.next()
                }
            })
    }

    /// The bytes of an event. Line ends in `data` make several `data:` lines; those in a name or an id, which could
    /// forge further fields, are left out.
    static func encode(event: String?, data: String, id: String?) -> Data {
        var text = ""
        if let event { text += "event: \(oneLine(event))\n" }
        if let id { text += "id: \(oneLine(id))\n" }
        // Most data is one line, and may be long: looking at bytes is quick.
        guard data.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            return Data((text + "data: \(data)\n\n").utf8)
        }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
            text += "data: \(line)\n"
        }
        return Data((text + "\n").utf8)
    }

    private static func oneLine(_ text: String) -> String { text.filter { !$0.isLineEnd && $0 != "\0" } }
}

extension Character {
    /// The line ends of an event stream. `\r\n` is one `Character`.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
