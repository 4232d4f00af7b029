import AquiferConcurrency
import Foundation

/// A blocking client on a bare socket: says exactly the bytes a test wants said. Use it inside `onThread`.
final class RawClient: @unchecked Sendable {
    struct Answer: Sendable {
        var status: Int
        var headers: [String: String]
        var body: Data
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    struct Failure: Error, Equatable {
        var reason: String
        static let ended = Failure(reason: "the connection ended early")
    }

    private let descriptor: Int32
    private var pending = Data()
    private var isOpen = true

    /// - Parameter receiveBuffer: a small one makes the client slow without much data.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            leave()
            throw Failure(reason: "connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit { leave() }

    func leave() {
        if isOpen { _ = close(descriptor) }
        isOpen = false
    }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    func send(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = write(descriptor, bytes.baseAddress! + sent, bytes.count - sent)
                guard count > 0 else { throw Failure(reason: "send: \(String(cString: strerror(errno)))") }
                sent += count
            }
        }
    }

    func get(_ target: String, _ headers: String = "", method: String = "GET") throws -> Answer {
        try send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n")
        return try answer(toHead: method == "HEAD")
    }

    /// Bytes as they come, empty at the end of the connection.
    func receive() throws -> Data {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return Data() }
        guard count >= 0 else { throw Failure(reason: "receive: \(String(cString: strerror(errno)))") }
        return Data(buffer.prefix(count))
    }

    func restOfConnection() throws -> Data {
        var all = pending
        pending = Data()
        while case let piece = try receive(), !piece.isEmpty { all.append(piece) }
        return all
    }

    func read(until end: String) throws -> String {
        while true {
            if let range = pending.range(of: Data(end.utf8)) {
                defer { pending = Data(pending[range.upperBound...]) }
                return String(decoding: pending[..<range.lowerBound], as: UTF8.self)
            }
            try more()
        }
    }

    func read(count: Int) throws -> Data {
        while pending.count < count { try more() }
        defer { pending = Data(pending.dropFirst(count)) }
        return Data(pending.prefix(count))
    }

    private func more() throws {
        let piece = try receive()
        guard !piece.isEmpty else { throw Failure.ended }
        pending.append(piece)
    }

    func head() throws -> Answer {
        let lines = try read(until: "\r\n\r\n").components(separatedBy: "\r\n")
        var answer = Answer(status: Int(lines[0].split(separator: " ")[1]) ?? 0, headers: [:], body: Data())
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return answer
    }

    func answer(toHead: Bool = false) throws -> Answer {
        var answer = try head()
        guard !toHead, answer.status != 204, answer.status != 304 else { return answer }
        if answer.headers["transfer-encoding"] == "chunked" {
            while case let size = Int(try read(until: "\r\n"), radix: 16) ?? 0, size > 0 {
                answer.body.append(try read(count: size))
                _ = try read(until: "\r\n")
            }
            _ = try read(until: "\r\n")
        } else {
            answer.body = try read(count: Int(answer.headers["content-length"] ?? "") ?? 0)
        }
        return answer
    }
}

/// Runs blocking work on a thread of its own: the task pool has as many threads as the machine has cores.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}

/// Something that happens once, or a number of times, and can be waited for.
final class Event: @unchecked Sendable {
    private let lock = Lock()
    private var happened = 0
    private var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []

    var count: Int { lock.withLock { happened } }

    func signal() {
        let ready = lock.withLock {
            happened += 1
            defer { waiters.removeAll { $0.count <= happened } }
            return waiters.filter { $0.count <= happened }.map(\.1)
        }
        ready.forEach { $0.resume() }
    }

    func wait(for count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = lock.withLock {
                if happened < count { waiters.append((count, continuation)) }
                return happened >= count
            }
            if isThere { continuation.resume() }
        }
    }
}

/// Waits until the task is cancelled, and for nothing else.
func untilCancelled() async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}
