import Aquifer
import AquiferFoundation

/// Stores the payments that were made, each in an entry of its own. They never expire.
public struct PaymentLedger: Sendable {
    static let prefix = "payment:"

    /// True if the entry under this key is a payment.
    public static func isPayment(_ key: String) -> Bool { key.hasPrefix(prefix) }

    /// True if payments may be among what has changed.
    static func mayConcern(_ change: StoreChange) -> Bool {
        if case .entry(let key) = change { isPayment(key) } else { true }
    }

    /// True if the entry under this key is the choice of the default card, which is in the same store.
    public static func isChosenCard(_ key: String) -> Bool { key == DefaultCard.choiceKey }

    let store: any CacheStore
    /// True for the keys of what the app keeps in the same store.
    private let isOther: @Sendable (String) -> Bool

    init(_ store: any CacheStore, isOther: @escaping @Sendable (String) -> Bool = { _ in false }) {
        self.store = store
        self.isOther = isOther
    }

    /// The payments that can be read, and those that cannot.
    public struct Contents: Sendable, Hashable {
        /// The payments, the latest first.
        public let records: [PaymentRecord]
        /// The entries that cannot be read and are, or may be, payments.
        public let unreadable: [Unreadable]
    }

    /// A stored payment that cannot be read. Its entry is left unchanged.
    public struct Unreadable: Sendable, Hashable {
        /// The payment's identifier; `nil` if the entry does not show it.
        public let id: UUID?
        /// The reason why the entry cannot be read, in a few words.
        public let reason: String
    }

    /// All payments. A payment that cannot be read is listed as unreadable, and does not hide the others. A damaged
    /// entry without a key, which may or may not be a payment, is listed as unreadable too.
    ///
    /// - Throws: `StoreError` when the store cannot be read at all.
    public func contents() async throws(StoreError) -> Contents {
        var records: [PaymentRecord] = []
        var unreadable: [Unreadable] = []
        let contents = try await store.contents()
        for damaged in contents.damaged where mayBePayment(damaged) {
            unreadable.append(Unreadable(id: Self.id(damaged), reason: damaged.reason))
        }
        for summary in contents.entries where summary.key.hasPrefix(Self.prefix) {
            do throws(StoreError) {
                guard let entry = try await store.retrieve(summary.key) else {
                    // A payment that can be read is never deleted: the store has lost this entry.
                    throw .unreadable(key: summary.key, reason: "it is listed and cannot be found")
                }
                records.append(try decode(entry, summary.key))
            } catch {
                guard case .unreadable(let key, let reason) = error else { throw error }
                unreadable.append(Unreadable(id: Self.id(key), reason: reason))
            }
        }
        return Contents(
            records: records.sorted { ($0.startedAt, $0.id.uuidString) > ($1.startedAt, $1.id.uuidString) },
            unreadable: unreadable.sorted { ($0.id?.uuidString ?? "") < ($1.id?.uuidString ?? "") })
    }

    private static func id(_ key: String) -> UUID? {
        key.hasPrefix(prefix) ? UUID(uuidString: String(key.dropFirst(prefix.count))) : nil
    }

    static func id(_ damaged: DamagedEntry) -> UUID? { damaged.key.flatMap(id) }

    /// True if a damaged entry may have been a payment. The damage may be in its key. Therefore any entry counts, except
    /// those under the keys that this store has beside payments.
    func mayBePayment(_ damaged: DamagedEntry) -> Bool {
        guard let key = damaged.key else { return true }
        let isNone = DefaultCard.keys.contains(key) || key == SharedSending.doorKey || key == VaultInStore.key
        return Self.isPayment(key) || !isNone && !isOther(key)
    }

    /// The payment of this key; `nil` if there is none.
    public func record(_ id: UUID) async throws(StoreError) -> PaymentRecord? {
        let key = Self.prefix + id.uuidString
        guard let entry = try await store.retrieve(key) else { return nil }
        return try decode(entry, key)
    }

    /// Reads a payment and replaces it atomically.
    ///
    /// - Parameter decide: Receives the payment, or `nil` if there is none, and returns its replacement. `nil` leaves
    ///   the payment as it is.
    /// - Returns: the payment as it is afterwards.
    @discardableResult
    func change(
        _ id: UUID, _ decide: @Sendable (PaymentRecord?) -> PaymentRecord?
    ) async throws(StoreError) -> PaymentRecord? {
        let key = Self.prefix + id.uuidString
        return try await store.decide(key) { current throws(StoreError) -> (EntryChange, PaymentRecord?) in
            var known: PaymentRecord?
            if let entry = try current.get() { known = try decode(entry, key) }
            guard let changed = decide(known), changed != known else { return (.keep, known) }
            return (.replace(try encode(changed, key)), changed)
        }
    }

    private func encode(_ record: PaymentRecord, _ key: String) throws(StoreError) -> StoredEntry {
        do {
            return StoredEntry(bytes: try JSONEncoder().encode(record), savedAt: record.startedAt)
        } catch {
            throw .failed(operation: "encode \"\(key)\"", reason: "\(type(of: error))")
        }
    }

    func decode(_ entry: StoredEntry, _ key: String) throws(StoreError) -> PaymentRecord {
        do {
            return try JSONDecoder().decode(PaymentRecord.self, from: entry.bytes)
        } catch {
            throw .unreadable(key: key, reason: "not a payment of this version")
        }
    }
}
