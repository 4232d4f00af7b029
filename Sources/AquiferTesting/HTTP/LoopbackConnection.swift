import Foundation

/// The server's end of a connection to a ``LoopbackServer``. For the thread of its script only.
public final class LoopbackConnection {
    /// A request as it came over the wire.
    public struct Request: Sendable {
        /// `GET`
        public var method: String
        /// `/path?query`
        public var target: String
        /// The field lines, as they came.
        public var fields: [String]
        /// The body: as many bytes as `Content-Length` says.
        public var body: Data

        /// The first value of a field.
        public func value(_ name: String) -> String? {
            let prefix = name.lowercased() + ":"
            return fields.first { $0.lowercased().hasPrefix(prefix) }
                .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The pause before each read of at most 64 KiB, a second at most. None by default; with one, the connection is a slow receiver.
    public var pauseBeforeReads: Duration = .zero

    private let socket: Int32
    private let patience: Duration
    private var received = Data()

    init(_ socket: Int32, patience: Duration) {
        self.socket = socket
        self.patience = patience
        Socket.prepare(socket)
    }

    // MARK: Reading

    /// The next request; `nil` when the other side has closed the connection.
    ///
    /// - Throws: `POSIXError` when the connection breaks, or patience ends.
    public func readRequest() throws -> Request? {
        let end = Data("\r\n\r\n".utf8)
        while received.range(of: end) == nil {
            guard try receive() else { return nil }
        }
        guard let range = received.range(of: end) else { return nil }
        var lines = String(decoding: received[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        received.removeSubrange(..<range.upperBound)
        let words = lines.removeFirst().components(separatedBy: " ")
        var request = Request(
            method: words[0], target: words.count > 1 ? words[1] : "", fields: lines, body: Data())
        let length = request.value("Content-Length").flatMap(Int.init) ?? 0
        while received.count < length {
            guard try receive() else { return nil }
        }
        request.body = Data(received.prefix(length))
        received.removeFirst(length)
        return request
    }

    /// The bytes that have come; `nil` when the other side has closed the connection. For protocols other than HTTP.
    package func readBytes() throws -> Data? {
        if received.isEmpty, try !receive() { return nil }
        defer { received = Data() }
        return received
    }

    /// Waits until the other side closes the connection or resets it: whether it did so within patience.
    public func waitForClose() -> Bool {
        do {
            while try receive() {}
            return true
        } catch {
            return (error as? POSIXError)?.code != .ETIMEDOUT
        }
    }

    // MARK: Writing

    /// Sends text as it is.
    public func send(_ text: String) throws { try send(Data(text.utf8)) }

    /// Sends bytes as they are.
    public func send(_ bytes: Data) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let count = try write(rest, within: patience) else { throw POSIXError(.ETIMEDOUT) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends an answer with its `Content-Length`.
    public func respond(status: String = "200 OK", fields: [String] = [], body: Data = Data()) throws {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
        try send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    /// Sends zeros until the other side takes no more for a moment, or it was `limit` bytes: how many it took.
    public func fill(upTo limit: Int) throws -> Int {
        let zeros = Data(count: 64 << 10)
        var sent = 0
        while sent < limit {
            guard let count = try write(zeros, within: .milliseconds(500)) else { return sent }
            sent += count
        }
        return sent
    }

    /// Ends the connection with a reset instead of an end.
    public func reset() { Socket.resetOnClose(socket) }

    func end() { close(socket) }

    /// More bytes; `false` at their end.
    private func receive() throws -> Bool {
        if pauseBeforeReads > .zero { usleep(UInt32(min(pauseBeforeReads, .seconds(1)) / .microseconds(1))) }
        guard try Socket.wait(socket, for: POLLIN, within: patience) else { throw POSIXError(.ETIMEDOUT) }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Socket.error }
        received.append(contentsOf: buffer[..<count])
        return count > 0
    }

    /// The number of bytes that the other side took; `nil` if none in time.
    private func write(_ bytes: Data, within time: Duration) throws -> Int? {
        guard try Socket.wait(socket, for: POLLOUT, within: time) else { return nil }
        let count = bytes.withUnsafeBytes { Socket.write(socket, $0) }
        guard count >= 0 else { throw Socket.error }
        return count
    }
}
