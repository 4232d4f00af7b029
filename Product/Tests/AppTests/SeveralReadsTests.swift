import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import App

@Suite("Several entries that are read together, through the stores of the app")
struct SeveralReadsTests {
    private let base = FaultyStore()
    private let entry = StoredEntry(bytes: Data("saved".utf8), savedAt: .distantPast)

    @Test("are those of the store, and each that is there is counted as read")
    func through() async throws {
        try await base.insert(entry, for: "saved")
        let metrics = StoreMetrics()
        let lazy = LazyStore { [base] () throws(StoreError) in base }
        let metered = MeteredStore(CountedStore(lazy, .values, metrics))
        let found = await metered.entries(under: ["saved", "missing", ""])
        #expect(found == [.success(entry), .success(nil), .failure(.invalidKey(""))])
        #expect(metered.hits("saved") == 1 && metered.hits("missing") == 0)
        #expect(count(metrics, "aquifer_store_seconds_count") == 1)
    }

    @Test("are one read below a user's bound and families, too")
    func ofUser() async throws {
        try await base.insert(entry, for: "saved")
        let metrics = StoreMetrics()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let quota = UserQuota(bound: 5_000, base, folder: folder)
        let store = FamilyStore(QuotaStore(CountedStore(base, .values, metrics), quota)) { _ in true }
        #expect(await store.entries(under: ["saved", "missing"]) == [.success(entry), .success(nil)])
        #expect(count(metrics, "aquifer_store_seconds_count") == 1)
    }

    @Test("that cannot be read are told as one failure")
    func failed() async throws {
        base.fail(.retrieve, with: .busy(path: "store"))
        let metrics = StoreMetrics()
        let found = await CountedStore(base, .values, metrics).entries(under: ["a", "b"])
        #expect(found == [.failure(.busy(path: "store")), .failure(.busy(path: "store"))])
        #expect(count(metrics, "aquifer_store_errors_total") == 1)
    }

    @Test("are all the failure to open the store")
    func unopened() async throws {
        let lazy = LazyStore { () throws(StoreError) in throw .busy(path: "store") }
        #expect(
            await lazy.entries(under: ["a", "b"]) == [.failure(.busy(path: "store")), .failure(.busy(path: "store"))])
    }

    /// The number on the line of a metric; `nil` if there is none.
    private func count(_ metrics: StoreMetrics, _ name: String) -> Int? {
        var text = OpenMetricsText()
        metrics.write(to: &text)
        return text.finished().split(separator: "\n").first { $0.hasPrefix(name) }?.split(separator: " ").last.flatMap {
            Int($0)
        }
    }
}
