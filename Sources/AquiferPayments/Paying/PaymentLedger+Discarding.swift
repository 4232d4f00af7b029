import Aquifer
import AquiferFoundation

/// Deleting payments that cannot be read.
extension PaymentLedger {
    /// The outcome of discarding a payment.
    public enum Discarding: Sendable, Hashable {
        /// It could not be read, and is gone.
        case discarded
        /// It can be read. Nothing that is known is thrown away.
        case readable
        /// There is no such payment.
        case absent
    }

    /// Deletes a payment that cannot be read.
    ///
    /// - Throws: `StoreError` when the store fails; then nothing was removed.
    public func discard(_ id: UUID) async throws(StoreError) -> Discarding {
        let key = Self.prefix + id.uuidString
        let found = try await store.decide(key) { current throws(StoreError) -> (EntryChange, Discarding) in
            do throws(StoreError) {
                guard let entry = try current.get() else { return (.keep, .absent) }
                _ = try decode(entry, key)
                return (.keep, .readable)
            } catch {
                guard case .unreadable = error else { throw error }
                return (.delete, .discarded)
            }
        }
        guard found == .absent else { return found }
        // The store may list what it cannot find.
        let contents = try await store.contents()
        guard contents.entries.contains(where: { $0.key == key }) || contents.damaged.contains(where: { $0.key == key })
        else { return .absent }
        try await store.delete(key)
        return .discarded
    }

    /// Deletes each damaged entry that names no payment, and nothing else that the store is known to have: it may or may not have
    /// been a payment.
    ///
    /// - Returns: the number of deleted entries.
    public func discardUnnamed() async throws(StoreError) -> Int {
        let unnamed = try await store.contents().damaged.filter { mayBePayment($0) && Self.id($0) == nil }
        for entry in unnamed { try await store.remove(entry) }
        return unnamed.count
    }
}
