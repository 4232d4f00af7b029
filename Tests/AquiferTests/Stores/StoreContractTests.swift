import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The stores in memory and in files", .timeLimit(.minutes(10)))
struct StoreContractTests {
    @Test("the store in memory keeps the contract", arguments: CacheStoreContract.checks(for: .memory))
    func memory(check: CacheStoreContract.Check) async throws {
        try await check.run(.memory)
    }

    @Test(
        "the store in memory keeps the contract of transactions",
        arguments: CacheStoreContract.transactions(for: .memory))
    func transactions(check: CacheStoreContract.Check) async throws { try await check.run(.memory) }

    @Test("the store in files keeps the contract", arguments: CacheStoreContract.checks)
    func files(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.files(in: folder)) }
    }

    @Test("the store that evicts keeps the contract in memory", arguments: CacheStoreContract.checks(for: .memory))
    func evictingInMemory(check: CacheStoreContract.Check) async throws {
        #expect(check.applies(to: .memory.evicting))
        try await check.run(.memory.evicting)
    }

    @Test("the store that evicts keeps the contract in files", arguments: CacheStoreContract.checks)
    func evictingInFiles(check: CacheStoreContract.Check) async throws {
        try await TemporaryFolder.with { folder in try await check.run(.files(in: folder).evicting) }
    }

    @Test(
        "the faulty store keeps the contract while no fault is set", arguments: CacheStoreContract.checks(for: .faulty))
    func faulty(check: CacheStoreContract.Check) async throws {
        try await check.run(.faulty)
    }

    @Test("every promise is checked over the store in files: none is passed over")
    func allOverFiles() async throws {
        try await TemporaryFolder.with { folder in
            #expect(CacheStoreContract.checks(for: .files(in: folder)).count == CacheStoreContract.checks.count)
        }
    }
}

extension CacheStoreContract.Subject {
    static let memory = Self(make: { MemoryStore() }, isTransactional: true)

    static let faulty = Self(
        make: { FaultyStore() },
        makeFailing: { entries in
            let store = FaultyStore()
            for (key, entry) in entries { try await store.insert(entry, for: key) }
            store.fail(.insert, .delete, .deleteAll, .update, with: .full(path: "/none"))
            return store
        })

    static func files(in folder: URL) -> Self {
        Self(
            make: { try FileStore(directory: folder.fresh()) },
            reopen: { store in try FileStore(directory: try #require(store.files).directory) },
            makeFailing: { entries in
                let directory = folder.fresh()
                let store = try FileStore(directory: directory, patience: .milliseconds(1))
                for (key, entry) in entries { try await store.insert(entry, for: key) }
                return LockedOut(
                    base: store, held: try HeldLock(directory.appendingPathComponent("aquifer-store.lock").path))
            },
            corrupt: { key, store in
                let url = URL(fileURLWithPath: try #require(store.files).path(of: key))
                var bytes = try Data(contentsOf: url)
                bytes[bytes.count - 1] ^= 0x10
                try bytes.write(to: url)
            },
            damages: [
                .init("the date in the header", flip(24)), .init("the mark at its start", flip(0)),
                .init("the form", flip(4)), .init("the length of the key", flip(8)), .init("the key", flip(56)),
                .init("the file's length") { key, store in
                    let url = URL(fileURLWithPath: try #require(store.files).path(of: key))
                    try Data(contentsOf: url).prefix(30).write(to: url)
                },
                .init("all of the file") { key, store in
                    try Data().write(to: URL(fileURLWithPath: try #require(store.files).path(of: key)))
                },
            ])
    }

    /// Flips a bit of the file that keeps a key.
    private static func flip(_ place: Int) -> @Sendable (_ key: String, _ store: any CacheStore) async throws -> Void {
        { key, store in
            let url = URL(fileURLWithPath: try #require(store.files).path(of: key))
            var bytes = try Data(contentsOf: url)
            bytes[place] ^= 0x10
            try bytes.write(to: url)
        }
    }

    private static func base(_ store: any CacheStore) throws -> any CacheStore {
        try #require(store as? EvictingStore).base
    }

    /// The same store with a bound around it that nothing here reaches.
    var evicting: Self {
        var subject = self
        subject.make = { [make] in EvictingStore(try await make(), bound: 10_000_000) }
        if let reopen {
            subject.reopen = { store in EvictingStore(try await reopen(try Self.base(store)), bound: 10_000_000) }
        }
        if let makeFailing {
            subject.makeFailing = { entries in EvictingStore(try await makeFailing(entries), bound: 10_000_000) }
        }
        if let corrupt {
            subject.corrupt = { key, store in try await corrupt(key, try Self.base(store)) }
        }
        subject.damages = damages.map { damage in
            .init(damage.name) { key, store in try await damage.run(key, try Self.base(store)) }
        }
        return subject
    }
}

extension CacheStore {
    fileprivate var files: FileStore? { self as? FileStore }
}

/// A store in files whose lock someone else holds.
private struct LockedOut: ForwardingStore {
    let base: any CacheStore
    let held: HeldLock
}

/// Holds a store's lock as another process would, until it is released.
final class HeldLock: Sendable {
    private let file: POSIX.File

    init(_ path: String) throws {
        file = try POSIX.openToWrite(path, truncate: false)
        try #require(try POSIX.tryLock(file))
    }
}
