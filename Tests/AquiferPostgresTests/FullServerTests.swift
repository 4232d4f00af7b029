import Aquifer
import Foundation
import Testing

@testable import AquiferPostgres

/// A server whose tables have eight megabytes of room.
@Suite("The store in PostgreSQL, its disk full", .timeLimit(.minutes(3)))
struct FullServerTests {
    /// True if this process may make a file system of its own.
    private static let mayMount =
        (try? Process.run(URL(filePath: "/usr/bin/unshare"), arguments: ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]))
        .map { process in
            process.waitUntilExit()
            return process.terminationStatus == 0
        } ?? false

    @Test(
        "Writes throw that it is full and change nothing, reads go on, and writes go on once there is room",
        .enabled(if: mayMount, "this process has no right to mount a file system"))
    func full() async throws {
        let server = try PostgresServer(small: 8)
        try server.run(sql: "CREATE TABLESPACE small LOCATION '\(server.folder)/small'")
        try server.run(sql: "ALTER ROLE postgres SET default_tablespace = small")
        // Room that is given back later: what was deleted in a full table gives none before it was swept, which needs room itself.
        try server.run(sql: "CREATE TABLE other AS SELECT generate_series(1, 50000)")
        let store = try await PostgresStore(server.address)
        @Sendable func large(_ number: Int) -> StoredEntry {
            StoredEntry(
                bytes: Data(repeating: UInt8(truncatingIfNeeded: number), count: 500_000),
                savedAt: Date(timeIntervalSinceReferenceDate: Double(number)))
        }
        var saved = 0
        var error: StoreError?
        while error == nil, saved < 100 {
            let number = saved
            error = await thrown { () async throws(StoreError) in
                try await store.insert(large(number), for: "key \(number)")
            }
            if error == nil { saved += 1 }
        }
        #expect(error == .full(path: store.place))
        #expect(saved > 3 && saved < 16)
        // An update that does not fit leaves the entry as it was.
        let again = await thrown { () async throws(StoreError) in
            try await store.update("key 0") { _ in .replace(large(1000)) }
        }
        #expect(again == .full(path: store.place))
        for number in 0..<saved { #expect(try await store.retrieve("key \(number)") == large(number)) }
        #expect(try await store.contents().entries.count == saved)
        // A large entry is kept whole or not at all.
        let pieces = StoredEntry(bytes: Data(count: 3_000_000), savedAt: Date(timeIntervalSinceReferenceDate: 0))
        let third = await thrown { () async throws(StoreError) in try await store.insert(pieces, for: "pieces") }
        #expect(third == .full(path: store.place))
        #expect(try await store.retrieve("pieces") == nil)
        try server.run(sql: "DROP TABLE other")
        try await store.insert(large(7), for: "key 7")
        #expect(try await store.retrieve("key 7") == large(7))
    }
}
