#if os(macOS) || os(Linux)
    import Aquifer
    import AquiferConcurrency
    import AquiferTesting
    import Foundation
    import Testing

    @testable import AquiferSQLite

    @Suite("Changes of other processes", .timeLimit(.minutes(10)))
    struct OthersChangesTests {
        /// The changes that an observer was told.
        private final class Told: Sendable {
            private let changes = Locked<[StoreChange]>([])
            let observation: Locked<StoreObservation?> = Locked(nil)

            init(_ store: any CacheStore) {
                let observation = store.changes.observe { [changes] change in changes.withLock { $0.append(change) } }
                self.observation.withLock { $0 = observation }
            }

            var all: [StoreChange] { changes.withLock { $0 } }
            func forget() { changes.withLock { $0 = [] } }
        }

        private func entry(_ text: String) -> StoredEntry {
            StoredEntry(bytes: Data(text.utf8), savedAt: Date(timeIntervalSince1970: 0))
        }

        private func file(_ folder: URL) -> URL { folder.appendingPathComponent("store.db") }

        @Test("A change of another instance is told with its key, once, and one's own is told once")
        func another() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                let other = try SQLiteStore(file: file(folder))
                let told = Told(store)
                try await other.insert(entry("1"), for: "a/ü 1")
                #expect(await eventually { told.all == [.entry("a/ü 1")] })
                try await store.insert(entry("2"), for: "own")
                try await other.delete("a/ü 1")
                #expect(await eventually { told.all == [.entry("a/ü 1"), .entry("own"), .entry("a/ü 1")] })
                // The looks at the version find nothing that the log has not told.
                await clock.waitForSleepers()
                clock.advance(by: .milliseconds(1))
                #expect(await eventually { clock.sleepers == [.milliseconds(9)] })
                try await other.insert(entry("3"), for: "last")
                #expect(await eventually { told.all.last == .entry("last") })
                #expect(told.all.count == 4)
            }
        }

        @Test("A deletion by prefix is told to others as the prefix, from the log alone")
        func prefixes() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                let other = try SQLiteStore(file: file(folder))
                try await other.insert(entry("1"), for: "user/1")
                let told = Told(store)
                try await other.deleteAll(prefix: "user/")
                // The clock stands still: the looks at the version, which tell everything, do not come.
                #expect(await eventually { told.all.last == .prefix("user/") })
            }
        }

        @Test("A key that is too long to write down is told as everything")
        func longKeys() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                let other = try SQLiteStore(file: file(folder))
                let told = Told(store)
                try await other.insert(entry("1"), for: String(repeating: "k", count: 5_000))
                #expect(await eventually { told.all == [.everything] })
            }
        }

        @Test("300 commits of another process are each told before the next is made", arguments: ["sqlite", "file"])
        func threeHundred(kind: String) async throws {
            try await TemporaryFolder.with { folder in
                let store: any CacheStore =
                    kind == "file"
                    ? try FileStore(directory: folder.appendingPathComponent("store"))
                    : try SQLiteStore(file: file(folder))
                let (changes, hasChanged) = AsyncStream.makeStream(of: Void.self)
                let observation = store.changes.observe { if $0.concerns("told") { hasChanged.yield() } }
                let answering = Task {
                    var last = Data()
                    for await _ in changes {
                        guard let told = try await store.retrieve("told"), told.bytes != last else { continue }
                        last = told.bytes
                        try await store.insert(told, for: "seen")
                    }
                }
                let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
                let (status, output) = try await Child.run(
                    program.path, ["--tell", "300", "--store", kind, "--path", folder.path])
                #expect(status == 0)
                #expect(output == "300 seen\n")
                observation.cancel()
                answering.cancel()
                _ = await answering.result
            }
        }

        @Test("A writer that is killed before it tells is noticed")
        func killed() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                try await store.insert(entry("1"), for: "told")
                let told = Told(store)
                let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
                let (status, _) = try await Child.run(
                    program.path, ["--silent", "--store", "sqlite", "--path", folder.path])
                #expect(status == 128 + 9)
                // Three looks after an event, and nobody sleeps any more.
                for pause in [1, 9, 90] {
                    await clock.waitForSleepers()
                    #expect(clock.sleepers == [.milliseconds(pause)])
                    clock.advance(by: .milliseconds(pause))
                }
                #expect(await eventually { told.all == [.everything] })
                // A commit may be two events: the second may have come during the looks, which then begin again.
                var rests = 0
                #expect(
                    await eventually {
                        rests = clock.sleepers.isEmpty ? rests + 1 : 0
                        clock.advance(by: .milliseconds(100))
                        return rests == 1_000
                    })
                #expect(told.all == [.everything])
            }
        }

        @Test("A writer that is killed before it tells is noticed beside another one that tells")
        func killedBeside() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                let other = try SQLiteStore(file: file(folder))
                try await store.insert(entry("1"), for: "told")
                let told = Told(store)
                let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
                let (status, _) = try await Child.run(
                    program.path, ["--silent", "--store", "sqlite", "--path", folder.path])
                #expect(status == 128 + 9)
                try await other.insert(entry("2"), for: "another")
                #expect(await eventually { told.all == [.entry("another")] })
                for pause in [1, 9, 90] {
                    await clock.waitForSleepers()
                    clock.advance(by: .milliseconds(pause))
                }
                #expect(await eventually { told.all == [.entry("another"), .everything] })
            }
        }

        @Test("The deletion of nothing is told to nobody, and hides no killed writer")
        func nothingToDelete() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                let other = try SQLiteStore(file: file(folder))
                try await store.insert(entry("1"), for: "told")
                let told = Told(store)
                let program = try #require(BuiltProgram.named("StoreHammer"), "StoreHammer is not built")
                let (status, _) = try await Child.run(
                    program.path, ["--silent", "--store", "sqlite", "--path", folder.path])
                #expect(status == 128 + 9)
                for writer in [store, other] {
                    try await writer.delete("none")
                    try await writer.deleteAll(prefix: "none")
                    try await writer.update("none") { _ in .delete }
                }
                for pause in [1, 9, 90] {
                    await clock.waitForSleepers()
                    clock.advance(by: .milliseconds(pause))
                }
                #expect(await eventually { told.all == [.everything] })
            }
        }

        @Test("The deletion of nothing by a store that counts its commits is one, and is told")
        func nothingCounted() async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                let other = try SQLiteStore(file: file(folder), durability: .power, isIrreplaceable: true)
                try await other.insert(entry("1"), for: "first")
                let told = Told(store)
                try await other.delete("none")
                try await other.deleteAll(prefix: "none")
                try await other.update("none") { _ in .delete }
                try await other.insert(entry("2"), for: "last")
                let all: [StoreChange] = [.entry("none"), .prefix("none"), .entry("none"), .entry("last")]
                #expect(await eventually { told.all == all })
                for pause in [1, 9, 90] {
                    await clock.waitForSleepers()
                    clock.advance(by: .milliseconds(pause))
                }
                #expect(!told.all.contains(.everything))
            }
        }

        @Test(
            "Commits that are each told are never taken for those of a killed writer",
            arguments: SQLiteStore.Durability.allCases)
        func none(durability: SQLiteStore.Durability) async throws {
            try await TemporaryFolder.with { folder in
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), durability: durability, clock: clock)
                let other = try SQLiteStore(file: file(folder), durability: durability)
                let told = Told(store)
                for _ in 0..<5 {
                    for number in 0..<20 {
                        try await other.insert(entry("1"), for: "theirs \(number)")
                        try await store.insert(entry("1"), for: "own \(number)")
                        try await other.update("changed") { _ in .replace(entry("\(number)")) }
                    }
                    try await other.deleteAll(prefix: "theirs ")
                    #expect(await eventually { told.all.last == .prefix("theirs ") })
                    // All is told by now, and the looks find nothing else.
                    for pause in [1, 9, 90] {
                        await clock.waitForSleepers()
                        clock.advance(by: .milliseconds(pause))
                    }
                    #expect(!told.all.contains(.everything))
                }
            }
        }

        @Test("What a writer appends while it is cut off from the log, or after the log was begun anew, is not lost")
        func cut() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                let other = try SQLiteStore(file: file(folder))
                let told = Told(store)
                let log = file(folder).path + "-changes"
                let size = try #require(POSIX.status(log)?.size)
                try POSIX.write(try POSIX.openToWrite(log, truncate: true), Data(ChangeLog.title.utf8))
                #expect(await eventually { told.all.contains(.everything) })
                told.forget()
                try await other.insert(entry("1"), for: "a")
                #expect(await eventually { told.all.contains { $0.concerns("a") } })
                // Another line, which is told by itself: the one before may be a part of everything.
                try await other.insert(entry("1"), for: "later")
                #expect(await eventually { told.all.contains(.entry("later")) })
                #expect(size > ChangeLog.title.utf8.count)
                // Deleted: it is made again, and nothing is lost.
                told.forget()
                try FileManager.default.removeItem(atPath: log)
                #expect(await eventually { POSIX.exists(log) && told.all.contains(.everything) })
                told.forget()
                try await other.insert(entry("2"), for: "b")
                #expect(await eventually { told.all.contains { $0.concerns("b") } })
            }
        }

        @Test("The log stays small, and is private; a file of another program there is left as it is")
        func small() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                let log = file(folder).path + "-changes"
                #expect(!POSIX.exists(log))
                let told = Told(store)
                #expect(POSIX.isPrivate(log))
                let key = String(repeating: "k", count: 900)
                for _ in 0..<100 { try await store.insert(entry("1"), for: key) }
                #expect(try #require(POSIX.status(log)?.size) < 2 * ChangeLog.limit)
                #expect(told.all.filter { $0 == .entry(key) }.count == 100)
                told.observation.withLock { $0 = nil }

                let foreign = folder.appendingPathComponent("foreign.db")
                try Data("mine".utf8).write(to: URL(fileURLWithPath: foreign.path + "-changes"))
                let second = try SQLiteStore(file: foreign, clock: ManualClock())
                let observation = second.changes.observe { _ in }
                try await second.insert(entry("1"), for: "a")
                #expect(try Data(contentsOf: URL(fileURLWithPath: foreign.path + "-changes")) == Data("mine".utf8))
                observation.cancel()
            }
        }

        @Test("A database that is replaced is told as everything")
        func replaced() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                let told = Told(store)
                let other = folder.appendingPathComponent("other.db")
                do {
                    let filled = try SQLiteStore(file: other)
                    try await filled.insert(entry("1"), for: "a")
                }
                #expect(rename(other.path, file(folder).path) == 0)
                #expect(await eventually { told.all.contains(.everything) })
            }
        }

        @Test("A folder that could not be watched at first is watched as soon as it can be, and the log is made then")
        func late() async throws {
            try await TemporaryFolder.with { root in
                let (folder, away) = (root.appendingPathComponent("store"), root.appendingPathComponent("away"))
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                let clock = ManualClock()
                let store = try SQLiteStore(file: file(folder), clock: clock)
                let other = try SQLiteStore(file: file(folder))
                try FileManager.default.moveItem(at: folder, to: away)
                let told = Told(store)
                await clock.waitForSleepers()
                #expect(clock.sleepers == [.seconds(1)])
                try FileManager.default.moveItem(at: away, to: folder)
                clock.advance(by: .seconds(1))
                #expect(await eventually { told.all.contains(.everything) })
                #expect(POSIX.exists(file(folder).path + "-changes"))
                // The new log itself is told as everything.
                var number = 0
                #expect(
                    try await eventually {
                        number += 1
                        try await other.insert(entry("\(number)"), for: "theirs")
                        return told.all.contains(.entry("theirs"))
                    })
            }
        }

        @Test("Nothing is watched until somebody observes, and no descriptor is left when the last one has gone")
        func leavesNothing() async throws {
            try await TemporaryFolder.with { folder in
                let store = try SQLiteStore(file: file(folder), clock: ManualClock())
                try await store.insert(entry("1"), for: "a")
                _ = try await store.retrieve("a")
                #expect(!POSIX.exists(file(folder).path + "-changes"))
                for _ in 0..<50 {
                    let told = Told(store)
                    try await store.insert(entry("1"), for: "a")
                    #expect(told.all == [.entry("a")])
                }
                #if os(Linux)
                    #expect(try await eventually { try Self.watches(of: folder) == 0 })
                #endif
            }
        }

        #if os(Linux)
            /// The descriptors of this process that watch this folder.
            private static func watches(of folder: URL) throws -> Int {
                let inode = try #require(
                    try FileManager.default.attributesOfItem(atPath: folder.path)[.systemFileNumber] as? Int)
                let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")
                return names.filter { name in
                    // A descriptor that was closed meanwhile watches nothing.
                    let text = (try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? ""
                    return text.contains("inotify") && text.contains("ino:\(String(inode, radix: 16)) ")
                }.count
            }
        #endif
    }
#endif
