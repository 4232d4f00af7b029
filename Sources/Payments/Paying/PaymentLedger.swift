import Aquifer
import Foundation

/// Keeps the payments that were made, each in an entry of its own. They never expire.
public struct PaymentLedger: Sendable {
    private static let prefix = "payment:"
    private let store: any CacheStore

    init(_ store: any CacheStore) {
        self.store = store
    }

    /// All payments, the latest first.
    ///
    /// - Throws: ``StoreError`` when one of them cannot be read: a list with a gap would be a lie.
    public func records() async throws(StoreError) -> [PaymentRecord] {
        var records: [PaymentRecord] = []
        for summary in try await store.entries() where summary.key.hasPrefix(Self.prefix) {
            if let entry = try await store.retrieve(summary.key) { records.append(try decode(entry, summary.key)) }
        }
        return records.sorted { ($0.startedAt, $0.id.uuidString) > ($1.startedAt, $1.id.uuidString) }
    }

    /// The payment of this key.
    public func record(_ id: UUID) async throws(StoreError) -> PaymentRecord? {
        let key = Self.prefix + id.uuidString
        guard let entry = try await store.retrieve(key) else { return nil }
        return try decode(entry, key)
    }

    /// Keeps a payment, or what has become of it.
    ///
    /// What was decided stays decided: an answer that comes late, or to another process, does not undo it.
    func keep(_ record: PaymentRecord) async throws(StoreError) {
        let key = Self.prefix + record.id.uuidString
        let entry: StoredEntry
        do {
            entry = StoredEntry(bytes: try JSONEncoder().encode(record), savedAt: record.startedAt)
        } catch {
            throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
        }
        try await store.update(key) { current throws(StoreError) in
            guard let known = try current.get() else { return .replace(entry) }
            switch try decode(known, key).state {
            case .approved, .declined: return .keep
            case .sending, .unknown, .failed: return .replace(entry)
            }
        }
    }

    private func decode(_ entry: StoredEntry, _ key: String) throws(StoreError) -> PaymentRecord {
        do {
            return try JSONDecoder().decode(PaymentRecord.self, from: entry.bytes)
        } catch {
            throw .unreadable(key: key, reason: "not a payment of this version")
        }
    }
}
