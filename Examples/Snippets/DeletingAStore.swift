import Aquifer
import AquiferTesting
import Foundation
import Testing

/// Deletes the saved pictures, and nothing else.
func forgetPictures(in store: any CacheStore) async throws {
    try await store.deleteAll(prefix: DataLoader.keyPrefix)
}

/// Deletes every entry. Others may go on using the store.
func empty(_ store: any CacheStore) async throws {
    try await store.deleteAll(prefix: "")
}

/// What takes room, by key.
func sizes(of prefix: String, in store: any CacheStore) async throws -> [String: Int] {
    let contents = try await store.contents(prefix: prefix)
    return Dictionary(uniqueKeysWithValues: contents.entries.map { ($0.key, $0.size) })
}

@Test("Deleting a store: a part of it, or all")
func deleting() async throws {
    let store = MemoryStore()
    let entry = StoredEntry(bytes: Data("picture".utf8), savedAt: Date())
    for key in ["data:https://example.com/1.png", "contacts"] { try await store.insert(entry, for: key) }
    #expect(try await sizes(of: "data:", in: store) == ["data:https://example.com/1.png": 7])
    try await forgetPictures(in: store)
    #expect(try await store.contents().entries.map(\.key) == ["contacts"])
    try await empty(store)
    #expect(try await store.contents().entries.isEmpty)
}
