import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Removing what is kept of a payment and cannot be read.
extension PaymentLedger {
    /// What became of a payment that was to be discarded.
    public enum Discarding: Sendable, Hashable {
        /// It could not be read, and is gone.
        case discarded
        /// It can be read. Nothing that is known is thrown away.
        case readable
        /// There is no such payment.
        case absent
    }

    /// Removes what is kept of a payment, if it cannot be read.
    ///
    /// - Throws: ``StoreError`` when the store fails; then nothing was removed.
    public func discard(_ id: UUID) async throws(StoreError) -> Discarding {
        let key = Self.prefix + id.uuidString
        let outcome = Locked(Discarding.absent)
        try await store.update(key) { current throws(StoreError) in
            do throws(StoreError) {
                guard let entry = try current.get() else { return .keep }
                _ = try decode(entry, key)
                outcome.withLock { $0 = .readable }
                return .keep
            } catch {
                guard case .unreadable = error else { throw error }
                outcome.withLock { $0 = .discarded }
                return .delete
            }
        }
        let found = outcome.withLock { $0 }
        guard found == .absent else { return found }
        // The store may list what it cannot find.
        let contents = try await store.contents()
        guard contents.entries.contains(where: { $0.key == key }) || contents.damaged.contains(where: { $0.key == key })
        else { return .absent }
        try await store.delete(key)
        return .discarded
    }

    /// Removes each damaged entry whose payment cannot be told, not even whether it is one.
    ///
    /// - Returns: how many there were.
    public func discardUnnamed() async throws(StoreError) -> Int {
        let unnamed = try await store.contents().damaged.filter { Self.mayBePayment($0) && Self.id($0) == nil }
        for entry in unnamed { try await store.remove(entry) }
        return unnamed.count
    }
}
