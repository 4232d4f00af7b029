import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

@testable import AquiferPayments

// Document 002, "Contact List Feature", from its beginning to its end: a suite for each section, a test for each scenario
// and course, in the document's order and under its titles.
//
// The app around it (choose a contact, an amount and a card, pay; cards are kept) is tested in Cards/ and Paying/, and on
// the page in Tests/Browser/test_payments.py.

@Suite("Contact list, narrative #1: as an online customer", .timeLimit(.minutes(10)))
struct ContactListOnlineStory {
    @Test("Given the customer has connectivity, the app displays the latest list from remote and replaces the cache")
    func online() async throws {
        let world = PaymentsWorld(.contacts)
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: 60)
        let loaded = try await world.service.contacts.load()
        #expect(loaded.source == .remote && loaded.value.map(\.id) == [1001, 1002, 1003])
        #expect(loaded.savedAt == world.date.now)
        #expect(try await world.service.loadContactListFromCache() == loaded.value)
    }
}

@Suite("Contact list, narrative #2: as an offline customer", .timeLimit(.minutes(10)))
struct ContactListOfflineStory {
    private let world = PaymentsWorld(.offline)
    private let week = Duration.days(7).timeInterval

    @Test("Given the cache is less than seven days old, the app displays the latest contact list saved")
    func fresh() async throws {
        let savedAt = try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week - 1)
        let loaded = try await world.service.contacts.load()
        #expect(
            loaded.source == .cache(savedAt: savedAt, because: .connectivity(TransportError(.offline)))
                && loaded.value == [world.contact])
    }

    @Test("Given the cache is seven days old or more, the app displays an error message", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week + more)
        let error = await failure { () async throws(LoadError) in try await world.service.contacts.load() }
        #expect(error == .connectivity(TransportError(.offline)))
        #expect(error?.message(in: .english).contains("offline") == true)
    }

    @Test("Given the cache is empty, the app displays an error message")
    func empty() async {
        let error = await failure { () async throws(LoadError) in try await world.service.contacts.load() }
        #expect(error == .connectivity(TransportError(.offline)))
        #expect(error?.message(in: .english).contains("offline") == true)
    }
}

@Suite("Load Contact List From Remote Use Case", .timeLimit(.minutes(10)))
struct LoadContactListFromRemoteUseCase {
    @Test("Primary course: downloads the data from the URL, validates it, and delivers the contact list")
    func primary() async throws {
        let world = PaymentsWorld(.contacts)
        let contacts = try await world.service.loadContactListFromRemote()
        #expect(contacts.map(\.id) == [1001, 1002, 1003] && contacts[1] == world.contact)
        #expect(world.client.requests.map(\.url.absoluteString) == ["http://payments.example/users"])
        #expect(world.store.calls.isEmpty, "saving is another use case")
    }

    @Test(
        "Invalid data error course: delivers invalid data error",
        arguments: [
            "", "{}", "[{}]", #"[{"id":"1","name":"A","img":"http://x.example/1","username":"@a"}]"#,
            #"[{"id":1,"name":"A","img":"file:///etc/passwd","username":"@a"}]"#,
            #"[{"id":1,"name":"A","img":"http://x.example/1","username":"a"}]"#,
            #"[{"id":1,"name":"A","img":"http://x.example/1","username":"@a"},{"id":1,"name":"B","img":"http://x.example/1","username":"@b"}]"#,
        ])
    func invalidData(body: String) async {
        let world = PaymentsWorld(.answer(body: Data(body.utf8)))
        let error = await failure { () async throws(LoadError) in try await world.service.loadContactListFromRemote() }
        #expect(error?.reason == .invalidData)
    }

    @Test("No connectivity error course: delivers connectivity error, also when a list is saved")
    func noConnectivity() async throws {
        let world = PaymentsWorld(.offline)
        try await world.service.cacheContactList([world.contact])
        let error = await failure { () async throws(LoadError) in try await world.service.loadContactListFromRemote() }
        #expect(error == .connectivity(TransportError(.offline)))
    }
}

@Suite("Load Contact List From Cache Use Case", .timeLimit(.minutes(10)))
struct LoadContactListFromCacheUseCase {
    private let world = PaymentsWorld()
    private let week = Duration.days(7).timeInterval

    @Test("Primary course: retrieves the data, validates that it is less than seven days old, and delivers the list")
    func primary() async throws {
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week - 1)
        world.store.forgetCalls()
        #expect(try await world.service.loadContactListFromCache() == [world.contact])
        #expect(try await world.service.loadContactListFromCache() == [world.contact], "loading has no side effects")
        #expect(world.store.calls.allSatisfy { if case .retrieve = $0 { true } else { false } })
        #expect(world.client.requests.isEmpty)
    }

    @Test("Retrieval error course: delivers error, of the store and of data that cannot be read")
    func retrievalError() async throws {
        try await world.service.cacheContactList([world.contact])
        world.store.fail(.retrieve, with: .notAStore(path: "/s"))
        let failed = await failure { () async throws(StoreError) in try await world.service.loadContactListFromCache() }
        #expect(failed == .notAStore(path: "/s"))
        world.store.heal()
        let key = try await world.damage()
        let unreadable = await failure { () async throws(StoreError) in
            try await world.service.loadContactListFromCache()
        }
        guard case .unreadable(key, _)? = unreadable else {
            Issue.record("is \(String(describing: unreadable))")
            return
        }
    }

    @Test("Retrieval error course, offline: the error is displayed, and not an empty list")
    func retrievalErrorOffline() async {
        let world = PaymentsWorld(.offline)
        world.store.fail(.retrieve, with: .notAStore(path: "/s"))
        let error = await failure { () async throws(LoadError) in try await world.service.contacts.load() }
        #expect(error == .store(.notAStore(path: "/s"), after: .connectivity))
    }

    @Test("Expired cache course: delivers no contact list", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week + more)
        #expect(try await world.service.loadContactListFromCache() == nil)
        #expect(try await world.store.entries().count == 1, "deleting is another use case")
    }

    @Test("Empty cache course: delivers no contact list")
    func empty() async throws {
        #expect(try await world.service.loadContactListFromCache() == nil)
    }
}

@Suite("Cache Contact List Use Case", .timeLimit(.minutes(10)))
struct CacheContactListUseCase {
    private let world = PaymentsWorld()

    @Test("Primary course: deletes the old data, encodes and timestamps the new, saves it, and delivers success")
    func primary() async throws {
        try await world.service.cacheContactList([])
        world.date.advance(by: 60)
        #expect(try await world.service.cacheContactList([world.contact]) == world.date.now)
        #expect(try await world.service.loadContactListFromCache() == [world.contact])
        #expect(try await world.store.entries().map(\.savedAt) == [world.date.now])
    }

    /// Deleting and saving are one step, so that each way of failing is met by each kind of write.
    @Test(
        "Deleting error and saving error courses: deliver the error, and the old data is still there",
        arguments: [StoreError.full(path: "/s"), .failed(operation: "delete", reason: "read-only")])
    func failures(error: StoreError) async throws {
        try await world.service.cacheContactList([world.contact])
        world.store.fail(.insert, .update, .delete, with: error)
        #expect(await failure { () async throws(StoreError) in try await world.service.cacheContactList([]) } == error)
        world.store.heal()
        #expect(try await world.service.loadContactListFromCache() == [world.contact])
    }
}

@Suite("Validate Contact List Cache Use Case", .timeLimit(.minutes(10)))
struct ValidateContactListCacheUseCase {
    private let world = PaymentsWorld()
    private let week = Duration.days(7).timeInterval

    @Test("Primary course: what is less than seven days old stays")
    func primary() async throws {
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week - 1)
        #expect(try await world.service.validateContactListCache() == false)
        #expect(try await world.service.loadContactListFromCache() == [world.contact])
    }

    @Test("Retrieval error course: deletes cache")
    func retrievalError() async throws {
        try await world.service.cacheContactList([world.contact])
        _ = try await world.damage()
        #expect(try await world.service.validateContactListCache())
        #expect(try await world.store.entries().isEmpty)
    }

    @Test("Expired cache course: deletes cache", arguments: [0.0, 1, 86_400])
    func expired(more: TimeInterval) async throws {
        try await world.service.cacheContactList([world.contact])
        world.date.advance(by: week + more)
        #expect(try await world.service.validateContactListCache())
        #expect(try await world.store.entries().isEmpty)
    }
}

extension PaymentsWorld {
    /// Makes the saved list unreadable, and returns its key.
    fileprivate func damage() async throws -> String {
        let entry = try #require(try await store.entries().first)
        try await store.insert(StoredEntry(bytes: Data("x".utf8), savedAt: entry.savedAt), for: entry.key)
        return entry.key
    }
}
