import AquiferTesting
import Foundation

@testable import AquiferRedis

/// A server that speaks Redis's protocol and answers as a test wants it.
struct ScriptedRedis {
    private let server: LoopbackServer

    /// - Parameter answer: gives the answer to a command, as it goes over the wire; `nil` closes the connection without one. It is not asked
    ///   for the commands with which a connection begins.
    init(_ answer: @escaping @Sendable (_ words: [String]) -> String?) throws {
        server = try LoopbackServer { connection in
            var received = Data()
            while let bytes = try connection.readBytes() {
                received.append(bytes)
                while let words = Self.command(&received) {
                    let isBeginning = ["CLIENT", "SCRIPT", "SUBSCRIBE"].contains(words[0])
                    guard let text = isBeginning ? "+OK\r\n" : answer(words) else { return }
                    try connection.send(text)
                }
            }
        }
    }

    /// Takes no more connections.
    func stop() { server.stop() }

    var address: String { "redis://127.0.0.1:\(server.port)" }

    /// Takes the first command out of what has come; `nil` if it is not whole yet.
    private static func command(_ received: inout Data) -> [String]? {
        var rest = received[...]
        func line() -> String? {
            guard let end = rest.range(of: Data("\r\n".utf8)) else { return nil }
            defer { rest = rest[end.upperBound...] }
            return String(decoding: rest[..<end.lowerBound], as: UTF8.self)
        }
        guard let head = line(), let count = Int(head.dropFirst()), count > 0 else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard let size = line().flatMap({ Int($0.dropFirst()) }), rest.count >= size + 2 else { return nil }
            // Values that are no text are not looked at.
            words.append(String(decoding: rest.prefix(size), as: UTF8.self))
            rest = rest.dropFirst(size + 2)
        }
        received = Data(rest)
        return words
    }
}
