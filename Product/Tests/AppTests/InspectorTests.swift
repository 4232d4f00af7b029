import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("The inspector", .timeLimit(.minutes(10)))
struct InspectorTests {
    private let store = MemoryStore()
    private let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))

    private var inspector: Inspector {
        Inspector([
            StoreShelf(name: "values.sqlite", store: MeteredStore(store), policy: .sevenDays, now: date.read)
        ])
    }

    @Test(
        "tells and deletes what an app cannot decode, though its checksum is right",
        arguments: [
            "feed:x", "comments:x", "contacts:x", "foaas:seen", "foaas:settings", "foaas:x", "audio:x",
            "drive-accounts:x", "drive-contents:x", "data:x",
        ])
    func undecodable(key: String) async throws {
        try await store.insert(StoredEntry(bytes: Data("no such thing".utf8), savedAt: date.now), for: key)
        try await store.insert(StoredEntry(bytes: Data("nobody's".utf8), savedAt: date.now), for: "unknown")
        let entries = await inspector.entries().value
        #expect(entries.map(\.validity) == (key < "unknown" ? [.unreadable, .fresh] : [.fresh, .unreadable]))
        #expect(await inspector.validate().value == [key])
        #expect(await inspector.entries().value.map(\.key) == ["unknown"])
    }

    @Test("keeps the favorites, damaged as they are, and tells so; only their key deletes them")
    func favorites() async throws {
        let inspector = Inspector([
            StoreShelf(
                name: "foaas.sqlite", store: MeteredStore(store), policy: .forever, isOwn: true, now: date.read)
        ])
        for key in ["foaas:favorites", "foaas:seen"] {
            try await store.insert(StoredEntry(bytes: Data("no such thing".utf8), savedAt: date.now), for: key)
        }
        let report = await inspector.validate()
        #expect(report.value == ["foaas:seen"])
        #expect(report.failures.map(\.store) == ["foaas.sqlite"])
        #expect(report.failures.first?.error.description.contains("foaas:favorites") == true)
        #expect(await inspector.clear().value == 0)
        #expect(await inspector.entries().value.map(\.key) == ["foaas:favorites"])
        #expect(try await inspector.delete("foaas:favorites"))
        #expect(await inspector.validate().failures.isEmpty)
    }

    @Test("keeps what a store that fails has: failing is not damage")
    func failingStore() async throws {
        let faulty = FaultyStore(store)
        try await store.insert(StoredEntry(bytes: Data(), savedAt: date.now), for: "unknown")
        faulty.fail(.update, with: .busy(path: "/store"))
        let inspector = Inspector([
            StoreShelf(name: "values.sqlite", store: MeteredStore(faulty), policy: .sevenDays, now: date.read)
        ])
        let report = await inspector.validate()
        #expect(report.value.isEmpty)
        #expect(report.failures == [Inspector.Failure(store: "values.sqlite", error: .busy(path: "/store"))])
        #expect(try await store.entries().count == 1)
    }

    @Test("tells a store that fails, and lists, validates and clears the others all the same")
    func others() async throws {
        let broken = FaultyStore()
        broken.fail(.contents, with: .damaged(path: "/values.sqlite", reason: "no such table"))
        let failure = Inspector.Failure(
            store: "values.sqlite", error: .damaged(path: "/values.sqlite", reason: "no such table"))
        let inspector = Inspector([
            StoreShelf(name: "values.sqlite", store: MeteredStore(broken), policy: .sevenDays, now: date.read),
            StoreShelf(name: "pictures.sqlite", store: MeteredStore(store), policy: .sevenDays, now: date.read),
        ])
        try await store.insert(StoredEntry(bytes: Data(), savedAt: date.now), for: "good")
        try await store.insert(StoredEntry(bytes: Data(), savedAt: date.now - 8 * 86_400), for: "old")
        let list = await inspector.entries()
        #expect(list.value.map(\.key) == ["good", "old"] && list.failures == [failure])
        let validated = await inspector.validate()
        #expect(validated.value == ["old"] && validated.failures == [failure])
        await #expect(throws: failure.error) { try await inspector.delete("unknown") }
        let cleared = await inspector.clear()
        #expect(cleared.value == 1 && cleared.failures == [failure])
    }
}
