import Aquifer
import Foundation

/// The files of downloads as the inspector sees them.
struct DownloadsShelf: InspectedShelf {
    let name: String
    let downloads: Lazy<Downloads, StoreError>
    let policy: CachePolicy
    let now: @Sendable () -> Date

    /// The beginning of a file's key; the URL follows.
    private static let prefix = "file:"

    func entries() async throws(StoreError) -> [Inspector.Entry] {
        let downloads = try await downloads()
        let damaged = try await downloads.damaged()
        var entries = damaged.map { damaged in
            Inspector.Entry(
                key: key(of: damaged), kind: .data, validity: .unreadable, reason: damaged.reason)
        }
        let known = Set(entries.map(\.key))
        for summary in try await downloads.list() where !known.contains(key(of: summary.url)) {
            var entry = Inspector.Entry(
                key: key(of: summary.url), kind: .data, size: summary.progress.received, savedAt: summary.savedAt,
                validity: .partial, isOwn: summary.isPinned)
            if summary.isWhole { (entry.validity, entry.reason) = await judge(summary, downloads) }
            entries.append(entry)
        }
        return entries
    }

    /// Every clip can be downloaded again.
    func isSpared(_ key: String) -> Bool { false }

    func validate() async throws(StoreError) -> ShelfValidation {
        let downloads = try await downloads()
        var removed: Set<String> = []
        for damaged in try await downloads.damaged() {
            try await downloads.remove(damaged)
            removed.insert(key(of: damaged))
        }
        let others = try await downloads.validate().map { key(of: $0) }
        return ShelfValidation(removed: removed.union(others).sorted())
    }

    func delete(_ key: String) async throws(StoreError) -> Bool {
        let downloads = try await downloads()
        var found = false
        for damaged in try await downloads.damaged() where self.key(of: damaged) == key {
            try await downloads.remove(damaged)
            found = true
        }
        for summary in try await downloads.list() where self.key(of: summary.url) == key {
            try await downloads.delete(summary.url)
            found = true
        }
        return found
    }

    private func key(of url: URL) -> String { Self.prefix + url.absoluteString }

    private func key(of damaged: DamagedEntry) -> String { Self.prefix + (damaged.key ?? damaged.place) }

    private func judge(
        _ summary: DownloadSummary, _ downloads: Downloads
    ) async -> (Inspector.Validity, String?) {
        let age = summary.savedAt.map { Inspector.Validity($0, policy, now()) } ?? .expired
        guard age == .fresh else { return (age, nil) }
        do throws(StoreError) {
            try await downloads.verify(summary.url)
            return (.fresh, nil)
        } catch {
            if case .unreadable(_, let reason) = error { return (.unreadable, reason) }
            return (.unreadable, "\(error)")
        }
    }
}
