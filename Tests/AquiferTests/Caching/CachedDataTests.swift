import Aquifer
import Foundation
import Testing

@Suite("Data in a cache")
struct CachedDataTests {
    private let store = MemoryStore()
    private let samples: [Data] =
        [
            Data(), Data("hello".utf8), Data(#""aGVsbG8=""#.utf8), Data("\"".utf8), Data([0x22, 0xFF]),
            Data([0xFF, 0x22]),
        ]
        + (0...255).map { Data([$0]) }

    /// A cache made where its value is any codable one.
    private func cache<Value: Codable>(of _: Value.Type, _ key: String) -> Cache<Value> { Cache(key: key, in: store) }

    @Test("is saved as its bytes, and not as JSON")
    func bytes() async throws {
        try await Cache<Data>(key: "a", in: store).save(Data([0, 1, 2]))
        try await cache(of: Data.self, "b").save(Data([0, 1, 2]))
        #expect(try await store.retrieve("a")?.bytes == Data([0, 1, 2]))
        #expect(try await store.retrieve("b")?.bytes == Data([0, 1, 2]))
    }

    @Test("comes back as it was, whatever it is, also if it looks like JSON")
    func anyBytes() async throws {
        let cache = Cache<Data>(key: "data", in: store)
        for sample in samples {
            try await cache.save(sample)
            #expect(try await cache.load()?.value == sample)
        }
    }

    @Test("is JSON where the app says so")
    func json() async throws {
        let cache = Cache<Data>(key: "data", in: store, codec: .json)
        try await cache.save(Data("hello".utf8))
        #expect(try await store.retrieve("data")?.bytes == Data(#""aGVsbG8=""#.utf8))
    }
}
