import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferShadowDrive

// Document 000, the use cases of the cache: a suite for each, a test for each course, in the document's order and under its
// titles. "Create Storage Account From Remote" is in SpecificationTests.

/// An owner's list of accounts with one saved in it, and no network.
private struct SavedAccounts {
    let world = DriveWorld(["getAccountInfo": [.offline]])
    let week = Duration.days(7).timeInterval

    var shelf: AccountShelf { get throws { try #require(world.service.shelf) } }

    func load() async throws(StoreError) -> AccountList? { try await world.service.accounts?.saved()?.value }

    /// Saves an account now, and lets time pass.
    func save(age: TimeInterval) async throws {
        try await shelf.add(account(0), isFirst: true)
        world.date.advance(by: age)
        world.store.forgetCalls()
    }

    /// Makes the saved entry unreadable, and returns its key.
    func damage() async throws -> String {
        let key = try shelf.cache.key
        try await world.store.insert(StoredEntry(bytes: Data("no JSON".utf8), savedAt: world.date.now), for: key)
        return key
    }

    func account(_ counter: UInt32) -> StorageAccount {
        StorageAccount(
            address: Vectors.program.storageAccount(of: Vectors.owner.publicKey, counter: counter),
            identifier: "account \(counter)", reservedBytes: 1024, owner: Vectors.owner.publicKey,
            counterSeed: counter, creationTime: 1)
    }
}

@Suite("Load Storage Accounts From Cache Use Case", .timeLimit(.minutes(10)))
struct LoadStorageAccountsFromCacheUseCase {
    private let saved = SavedAccounts()

    @Test("Primary course: retrieves the data, validates that it is less than seven days old, delivers the accounts")
    func primary() async throws {
        try await saved.save(age: saved.week - 1)
        #expect(try await saved.load() == AccountList([saved.account(0)]))
        #expect(try await saved.load() == AccountList([saved.account(0)]), "loading has no side effects")
        #expect(saved.world.store.calls.allSatisfy { if case .retrieve = $0 { true } else { false } })
        #expect(saved.world.client.requests.isEmpty)
    }

    @Test("Retrieval error course: delivers error, of the store and of data that cannot be read")
    func retrievalError() async throws {
        try await saved.save(age: 1)
        saved.world.store.fail(.retrieve, with: .failed(operation: "read", reason: "x"))
        let failed = await failure { () async throws(StoreError) in try await saved.load() }
        #expect(failed == .failed(operation: "read", reason: "x"))
        saved.world.store.heal()
        let key = try await saved.damage()
        let unreadable = await failure { () async throws(StoreError) in try await saved.load() }
        guard case .unreadable(key, _)? = unreadable else {
            Issue.record("is \(String(describing: unreadable))")
            return
        }
    }

    @Test("Expired cache course: delivers no accounts", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await saved.save(age: saved.week + more)
        #expect(try await saved.load() == nil)
        #expect(try await saved.world.store.entries().count == 1, "deleting is another use case")
    }

    @Test("Empty cache course: delivers no accounts")
    func empty() async throws {
        #expect(try await saved.load() == nil)
    }
}

@Suite("Validate Storage Accounts Cache Use Case", .timeLimit(.minutes(10)))
struct ValidateStorageAccountsCacheUseCase {
    private let saved = SavedAccounts()

    @Test("Primary course: what is less than seven days old stays")
    func primary() async throws {
        try await saved.save(age: saved.week - 1)
        #expect(try await saved.shelf.cache.validate() == false)
        #expect(try await saved.load() == AccountList([saved.account(0)]))
    }

    @Test("Retrieval error course: deletes cache")
    func retrievalError() async throws {
        try await saved.save(age: 1)
        _ = try await saved.damage()
        #expect(try await saved.shelf.cache.validate())
        #expect(try await saved.world.store.entries().isEmpty)
    }

    @Test("Expired cache course: deletes cache", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await saved.save(age: saved.week + more)
        #expect(try await saved.shelf.cache.validate())
        #expect(try await saved.world.store.entries().isEmpty)
    }
}

@Suite("Cache New Storage Accounts Use Case", .timeLimit(.minutes(10)))
struct CacheNewStorageAccountsUseCase {
    private let saved = SavedAccounts()

    @Test("Primary course: replaces the old data by the list with the new account, in one atomic step")
    func primary() async throws {
        try await saved.save(age: 60)
        try await saved.shelf.add(saved.account(1), isFirst: false)
        let changes = saved.world.store.calls.filter { if case .retrieve = $0 { false } else { true } }
        #expect(changes.count == 1, "one atomic step: \(changes)")
        let list = try #require(try await saved.load())
        #expect(list.accounts.map(\.identifier) == ["account 0", "account 1"] && list.isComplete)
    }

    @Test("Primary course, into an empty cache: encodes and timestamps the new account, and saves it")
    func empty() async throws {
        try await saved.shelf.add(saved.account(1), isFirst: true)
        #expect(try await saved.world.service.accounts?.saved()?.savedAt == saved.world.date.now)
        #expect(try await saved.load() == AccountList([saved.account(1)]))
    }

    /// Deleting and saving are one step, so that each way of failing is met by each kind of write.
    @Test(
        "Deleting error and saving error courses: deliver the error, and the old data is still there",
        arguments: [StoreError.full(path: "/s"), .failed(operation: "delete", reason: "read-only")])
    func failures(error: StoreError) async throws {
        try await saved.save(age: 1)
        saved.world.store.fail(.insert, .update, .delete, with: error)
        let thrown = await failure { () async throws in try await saved.shelf.add(saved.account(1), isFirst: false) }
        #expect(thrown as? StoreError == error)
        saved.world.store.heal()
        #expect(try await saved.load() == AccountList([saved.account(0)]))
    }
}
