import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferRedis

@Suite("The store in Redis, its connection broken before the answer", .timeLimit(.minutes(3)))
struct LostAnswersTests {
    /// The questions that the server got, and the news that observers got.
    private final class Seen: Sendable {
        private let state = Locked<(commands: [String], changes: [StoreChange])>(([], []))

        /// Notes a command, and returns how many of its name there were.
        func count(_ command: String) -> Int {
            state.withLock { state in
                state.commands.append(command)
                return state.commands.count { $0 == command }
            }
        }

        func note(_ change: StoreChange) { state.withLock { $0.changes.append(change) } }
        var commands: [String] { state.withLock { $0.commands } }
        var changes: [StoreChange] { state.withLock { $0.changes } }
    }

    private static let nothing = "*2\r\n$-1\r\n$-1\r\n"

    @Test("A decision whose answer was lost, and whose entry another one has changed since, is not made twice")
    func decision() async throws {
        let seen = Seen()
        let server = try ScriptedRedis { words in
            switch words[0] {
            case "MGET": return Self.nothing
            // The first one is carried out, and its answer lost. The second one finds the change of somebody else.
            default: return seen.count(words[0]) == 1 ? nil : ":0\r\n"
            }
        }
        defer { server.stop() }
        let store = try RedisStore(server.address, patience: .seconds(20))
        let observation = store.changes.observe { seen.note($0) }
        let decisions = Locked(0)
        let error = await thrown { () async throws(StoreError) in
            try await store.update("key") { _ in
                decisions.withLock { $0 += 1 }
                return .replace(entry("new"))
            }
        }
        if case .uncertain? = error {} else { Issue.record("\(String(describing: error))") }
        #expect(decisions.withLock { $0 } == 1)
        #expect(seen.commands == ["EVALSHA", "EVALSHA"])
        #expect(seen.changes.contains(.entry("key")))
        observation.cancel()
    }

    @Test("A decision that was not carried out is made again, over what is there by then")
    func again() async throws {
        let seen = Seen()
        let server = try ScriptedRedis { words in
            switch words[0] {
            case "MGET": return Self.nothing
            default: return seen.count(words[0]) == 1 ? ":0\r\n" : ":1\r\n"
            }
        }
        defer { server.stop() }
        let store = try RedisStore(server.address, patience: .seconds(20))
        let decisions = Locked(0)
        try await store.update("key") { _ in
            decisions.withLock { $0 += 1 }
            return .replace(entry("new"))
        }
        #expect(decisions.withLock { $0 } == 2)
    }

    @Test("A change in doubt that is made later is told once")
    func doubts() {
        let doubts = DoubtfulChanges()
        doubts.insert(.entry("a"))
        let message = { (change: StoreChange) in Listener.Message.told(ToldChange.text(change, from: "me")) }
        #expect(!message(.entry("b")).isDoubted(in: doubts))
        #expect(message(.entry("a")).isDoubted(in: doubts))
        #expect(!message(.entry("a")).isDoubted(in: doubts))
    }

    @Test("A deletion by prefix that fails after its first page has told of it, here and elsewhere")
    func prefix() async throws {
        let (seen, name) = (Seen(), Locked(""))
        let server = try ScriptedRedis { words in
            let count = seen.count(words[0])
            switch words[0] {
            case "SCAN" where count == 1:
                let text = name.withLock { $0 }
                return "*2\r\n$1\r\n7\r\n*1\r\n$\(text.utf8.count)\r\n\(text)\r\n"
            case "SCAN": return "-ERR no more\r\n"
            case "UNLINK": return ":1\r\n"
            default: return ":0\r\n"
            }
        }
        defer { server.stop() }
        let store = try RedisStore(server.address, patience: .seconds(20))
        name.withLock { $0 = String(decoding: store.names.entry("a1"), as: UTF8.self) }
        let observation = store.changes.observe { seen.note($0) }
        let error = await thrown { () async throws(StoreError) in try await store.deleteAll(prefix: "a") }
        #expect(error != nil)
        #expect(seen.commands == ["SCAN", "UNLINK", "PUBLISH", "SCAN"])
        #expect(seen.changes.contains(.prefix("a")))
        observation.cancel()
    }
}
