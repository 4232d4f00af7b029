import Aquifer
import AquiferConcurrency
import AquiferSQLite
import Foundation
import Hammer

/// Commits for a parent that observes the same database.
enum Telling {
    /// Commits `count` entries under `told`, each only when the parent has answered the one before under `seen`.
    static func run(_ kind: String, _ path: String, count: Int) async throws {
        let store = try Plan.open(kind, path)
        for number in 1...count {
            let (seen, hasSeen) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let observation = store.changes.observe { if $0.concerns("seen") { hasSeen.yield() } }
            let told = StoredEntry(bytes: Data("\(number)".utf8), savedAt: Date(timeIntervalSince1970: 0))
            try await store.insert(told, for: "told")
            hasSeen.yield()
            for await _ in seen {
                if try await store.retrieve("seen")?.bytes == told.bytes { break }
            }
            observation.cancel()
        }
        print("\(count) seen")
    }

    /// Commits past the store, so that nothing is told, and is killed.
    static func runSilently(_ path: String) throws {
        let connection = try Connection(path + "/store.db", .readWrite)
        try connection.execute("UPDATE entry SET etag = 'changed' WHERE key = 'told'")
        kill(getpid(), SIGKILL)
    }
}
