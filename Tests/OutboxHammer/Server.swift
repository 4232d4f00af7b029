import AquiferConcurrency
import AquiferTesting
import Foundation
import Hammer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A server that honours idempotency keys, and is killed as well. It writes each item down before it answers, a line in
/// one system call, which `kill -9` does not cut in two.
///
/// One time in four it misbehaves: no answer before or after it has written, an answer that is cut, a 503.
final class Server: Sendable {
    private struct State {
        var keys: Set<String>
        var numbers: SeededNumbers
    }

    private let place: Place
    private let isCalm: Bool
    private let log: FileHandle
    private let lock = Lock()
    private nonisolated(unsafe) var state: State

    init(_ place: Place, seed: UInt64, isCalm: Bool) throws {
        self.place = place
        self.isCalm = isCalm
        let descriptor = open(place.log.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Trouble("no log") }
        log = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let lines = String(decoding: try Data(contentsOf: place.log), as: UTF8.self).split(separator: "\n")
        let keys = lines.compactMap { $0.split(separator: " ").first.map(String.init) }
        state = State(keys: Set(keys), numbers: SeededNumbers(seed: seed))
    }

    func run() throws {
        let server = try LoopbackServer { [self] connection in
            while let request = try connection.readRequest(), try answer(request, connection) {}
        }
        try Data("\(server.port)".utf8).write(to: place.port, options: .atomic)
        while true { sleep(1000) }
    }

    /// False when the connection is to be closed.
    private func answer(_ request: LoopbackConnection.Request, _ connection: LoopbackConnection) throws -> Bool {
        let dice = lock.withLock { isCalm ? 99 : Int.random(in: 0..<20, using: &state.numbers) }
        switch dice {
        case 0: return false
        case 1:
            try connection.respond(status: "503 Service Unavailable", fields: ["Retry-After: 0"])
            return true
        case 2:
            try connection.respond(status: "500 Internal Server Error")
            return true
        default: break
        }
        guard let key = request.value("Idempotency-Key"), let note = Self.note(request.body) else {
            try connection.respond(status: "422 Unprocessable Content", body: Data("not a note".utf8))
            return true
        }
        try lock.withLock {
            guard state.keys.insert(key).inserted else { return }
            try log.write(contentsOf: Data("\(key) \(note.name)\n".utf8))
        }
        switch dice {
        case 3: return false
        case 4:
            connection.reset()
            return false
        default: try connection.respond(status: "201 Created", body: Data(note.name.utf8))
        }
        return true
    }

    /// The note of a body, if every byte of it is there.
    private static func note(_ body: Data) -> Note? {
        guard let line = body.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first else { return nil }
        guard let note = Note(Substring(String(decoding: line, as: UTF8.self))), note.body == body else { return nil }
        return note
    }
}
