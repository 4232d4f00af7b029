import Aquifer
import AquiferImageFeed
import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("The entries that the inspector knows")
struct KnownEntriesTests {
    @Test(
        "Each feature exports the entries that it saves",
        arguments: [
            "feed:", "comments:", "contacts:", "foaas:", "foaas:seen", "foaas:settings",
            "foaas:favorites", "foaas:sentence:", "audio:", "drive-accounts:",
            "drive-contents:", "data:",
        ])
    func exported(prefix: String) throws {
        let family = try #require(KnownEntries.families.first { $0.prefix == prefix })
        let entry = StoredEntry(bytes: Data([0xFF, 0x00]), savedAt: Date(timeIntervalSince1970: 0))
        #expect(KnownEntries.problem(with: entry, key: family.key("x")) != nil)
    }

    @Test("The family with the longest prefix decides")
    func longest() {
        #expect(KnownEntries.family(of: "foaas:seen")?.prefix == "foaas:seen")
        #expect(KnownEntries.family(of: "foaas:http://localhost/operations")?.prefix == "foaas:")
        #expect(KnownEntries.family(of: "unknown") == nil)
    }

    @Test("What a user's own store has beside payments is no payment, damaged as it may be")
    func noPayment() {
        let others = [
            "item:00000000000000000001", "counter", "target:x", "file:a.0", "piece:a.0:1", "outbox:paused", "draft:tab",
            "upload:x", "drive-key", "contacts:x", "drive-file:x", "foaas:favorites",
        ]
        for key in others { #expect(KnownEntries.isNoPayment(key), "\(key)") }
        for key in ["payment:x", "mystery", ""] { #expect(!KnownEntries.isNoPayment(key), "\(key)") }
    }

    @Test("An entry that a feature has saved is known, and has no problem")
    func saved() async throws {
        let store = MemoryStore()
        let service = FeedService(
            base: URL(string: "http://localhost")!, client: ScriptedHTTPClient(), store: store, pictureStore: store)
        try await service.cacheFeed([])
        let key = try #require(try await store.contents().entries.first?.key)
        let entry = try #require(try await store.retrieve(key))
        #expect(KnownEntries.family(of: key)?.prefix == "feed:")
        #expect(KnownEntries.problem(with: entry, key: key) == nil)
    }
}
