import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The store in files", .timeLimit(.minutes(10)))
struct FileStoreTests {
    static let entry = StoredEntry(
        bytes: Data("sixteen bytes ok".utf8), savedAt: Date(timeIntervalSinceReferenceDate: 12.5),
        validators: Validators(etag: "\"e\"", lastModified: "yesterday"), kind: .data)

    @Test("takes no flipped bit of an entry's file for a value, whichever it is")
    func everyFlippedBit() async throws {
        try await withStoredFile { store, url, whole in
            for bit in 0..<(whole.count * 8) {
                var damaged = whole
                damaged[bit / 8] ^= 1 << (bit % 8)
                try damaged.write(to: url)
                await #expect(throws: StoreError.self, "bit \(bit)") { try await store.retrieve("key") }
            }
        }
    }

    @Test("takes no file cut short for a value, at whichever length")
    func everyTruncation() async throws {
        try await withStoredFile { store, url, whole in
            for length in 0..<whole.count {
                try whole.prefix(length).write(to: url)
                await #expect(throws: StoreError.self, "\(length) bytes") { try await store.retrieve("key") }
                #expect(try await store.entries().isEmpty, "\(length) bytes")
            }
            try (whole + [0]).write(to: url)
            await #expect(throws: StoreError.self, "one byte more") { try await store.retrieve("key") }
        }
    }

    @Test("tells of a deleteAll that failed in the middle what it has deleted, and nothing else")
    func failedDeleteAll() async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            let keys = (0..<20).map { "user/\($0)" }
            for key in keys { try await store.insert(Self.entry, for: key) }
            // A folder in the place of an entry cannot be deleted like one.
            let obstacle = store.path(of: keys[10])
            try FileManager.default.removeItem(atPath: obstacle)
            try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
            let told = Locked<Set<StoreChange>>([])
            let observation = store.changes.observe { change in told.withLock { _ = $0.insert(change) } }
            await #expect(throws: StoreError.self) { try await store.deleteAll(prefix: "user/") }
            var gone: Set<StoreChange> = []
            for key in keys where !FileManager.default.fileExists(atPath: store.path(of: key)) {
                gone.insert(.entry(key))
            }
            #expect(told.withLock { $0 } == gone)
            try FileManager.default.removeItem(atPath: obstacle)
            try await store.deleteAll(prefix: "user/")
            #expect(told.withLock { $0.contains(.prefix("user/")) })
            observation.cancel()
        }
    }

    @Test("watches a folder that could not be watched at first as soon as it can")
    func lateWatch() async throws {
        try await TemporaryFolder.with { folder in
            let (place, away) = (folder.appendingPathComponent("store"), folder.appendingPathComponent("away"))
            let clock = ManualClock()
            let store = try FileStore(directory: place, clock: clock)
            let other = try FileStore(directory: place)
            try FileManager.default.moveItem(at: place, to: away)
            let told = Locked<[StoreChange]>([])
            let observation = store.changes.observe { change in told.withLock { $0.append(change) } }
            await clock.waitForSleepers()
            try FileManager.default.moveItem(at: away, to: place)
            clock.advance(by: .seconds(1))
            #expect(await eventually { told.withLock { $0 } == [.everything] })
            try await other.insert(Self.entry, for: "theirs")
            #expect(await eventually { told.withLock { $0.count } > 1 })
            observation.cancel()
        }
    }

    @Test("takes no other entry's file for its own")
    func otherKeysFile() async throws {
        try await withStoredFile { store, url, whole in
            let other = URL(fileURLWithPath: store.path(of: "other"))
            try whole.write(to: other)
            await #expect(throws: StoreError.unreadable(key: "other", reason: "it is another key's")) {
                try await store.retrieve("other")
            }
            #expect(try await store.entries().map(\.key) == ["key"])
        }
    }

    @Test("takes no header for that of other bytes, even if both are whole")
    func mixedHalves() async throws {
        try await withStoredFile { store, url, whole in
            var other = Self.entry
            other.bytes = Data("sixteen other ok".utf8)
            try await store.insert(other, for: "key")
            let second = try Data(contentsOf: url)
            let mixed = whole.dropLast(16) + second.suffix(16)
            try Data(mixed).write(to: url)
            await #expect(throws: StoreError.self) { try await store.retrieve("key") }
        }
    }

    @Test("says that a folder of other files is not a store, and touches nothing")
    func notAStore() async throws {
        try await TemporaryFolder.with { folder in
            try Data("mine".utf8).write(to: folder.appendingPathComponent("letter.txt"))
            #expect(throws: StoreError.notAStore(path: folder.path)) { try FileStore(directory: folder) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.txt"])
        }
    }

    @Test("says that a file is not a store, and leaves it")
    func fileInPlaceOfAFolder() async throws {
        try await TemporaryFolder.with { folder in
            let file = folder.appendingPathComponent("file")
            try Data("mine".utf8).write(to: file)
            #expect(throws: StoreError.notAStore(path: file.path)) { try FileStore(directory: file) }
            let below = file.appendingPathComponent("below")
            #expect(throws: StoreError.notAStore(path: below.path)) { try FileStore(directory: below) }
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    @Test("is whole again when a loss of power, or a kill, left its marker empty")
    func emptyMarker() async throws {
        try await TemporaryFolder.with { folder in
            try await FileStore(directory: folder).insert(Self.entry, for: "key")
            let marker = folder.appendingPathComponent("aquifer-store")
            try Data().write(to: marker)
            #expect(try await FileStore(directory: folder).retrieve("key") == Self.entry)
            #expect(try String(contentsOf: marker, encoding: .utf8) == "Aquifer file store, version 2\n")
        }
    }

    @Test(
        "says that another version wrote the store, newer or before the first release, and leaves it",
        arguments: [1, 7])
    func otherVersion(version: Int) async throws {
        try await TemporaryFolder.with { folder in
            try await FileStore(directory: folder).insert(Self.entry, for: "key")
            let marker = folder.appendingPathComponent("aquifer-store")
            #expect(try String(contentsOf: marker, encoding: .utf8) == "Aquifer file store, version 2\n")
            try Data("Aquifer file store, version \(version)\n".utf8).write(to: marker)
            let before = try FileManager.default.contents(of: folder)
            let error = #expect(throws: StoreError.otherVersion(path: folder.path, found: version, supported: 2)) {
                try FileStore(directory: folder)
            }
            let words =
                version == 1
                ? "an earlier version of Aquifer, before its first release (form 1, this one knows 2); it is left as it is: move it"
                    + " away or delete it"
                : "a newer version of Aquifer (form 7, this one knows 2); it is left as it is: update, or name another place"
            #expect(error?.description == "\(folder.path) was written by \(words)")
            #expect(try FileManager.default.contents(of: folder) == before)
        }
    }

    @Test("leaves an entry of a form before the first release as it is, and says so", arguments: [UInt8(1), 2, 3])
    func earlierForm(form: UInt8) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            let cache = Cache<[String]>(key: "key", in: store)
            try await cache.save(["old"])
            let file = folder.appendingPathComponent("key.entry")
            var bytes = try Data(contentsOf: file)
            bytes[4] = form
            try bytes.write(to: file)
            let error = StoreError.otherVersion(path: "what is saved as \"key\"", found: Int(form), supported: 4)
            await #expect(throws: error) { try await store.retrieve("key") }
            await #expect(throws: error) { try await cache.load() }
            #expect(try await store.contents().damaged.map { $0.reason.contains("before its first release") } == [true])
            // A load of it has a value, and does not put it in the entry's place.
            let client = ScriptedHTTPClient([.answer(body: Data(#"["new"]"#.utf8))])
            let url = try #require(URL(string: "http://a.example"))
            let remote = RemoteLoader<[String]>(HTTPRequest(.get, url), client: client) {
                try JSONDecoder().decode([String].self, from: $1)
            }
            #expect(try await Resource(remote: remote, cache: cache).load().value == ["new"])
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test("removes what a dead writer left half written")
    func leftover() async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            try await store.insert(Self.entry, for: "key")
            let leftover = folder.appendingPathComponent("aquifer-store.incoming")
            try Data("half".utf8).write(to: leftover)
            let next = try FileStore(directory: folder)
            #expect(!FileManager.default.fileExists(atPath: leftover.path))
            #expect(try await next.retrieve("key") == Self.entry)
        }
    }

    @Test("can be entered and read by this user only")
    func permissions() async throws {
        try await TemporaryFolder.with { folder in
            let directory = folder.appendingPathComponent("a/b")
            let store = try FileStore(directory: directory)
            try await store.insert(Self.entry, for: "key")
            for (path, mode) in [(directory.path, 0o700), (store.path(of: "key"), 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode, "\(path)")
            }
        }
    }

    @Test("says that it is busy when another process holds it for too long")
    func busy() async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder, patience: .milliseconds(1))
            let held = try HeldLock(folder.appendingPathComponent("aquifer-store.lock").path)
            await #expect(throws: StoreError.busy(path: folder.path)) { try await store.insert(Self.entry, for: "key") }
            withExtendedLifetime(held) {}
        }
    }

    private func withStoredFile(_ use: (FileStore, URL, Data) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let store = try FileStore(directory: folder)
            try await store.insert(Self.entry, for: "key")
            let url = URL(fileURLWithPath: store.path(of: "key"))
            try await use(store, url, try Data(contentsOf: url))
        }
    }
}

extension FileManager {
    /// The bytes of each file in a folder, by its name.
    func contents(of folder: URL) throws -> [String: Data] {
        let names = try contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
    }
}
