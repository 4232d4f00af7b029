import AquiferConcurrency

/// A decision about an entry that tells its caller something.
extension CacheStore {
    /// Reads and changes an entry in one atomic step, as ``update(_:_:)`` does, and returns the value of the decision.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - decide: takes the result of ``retrieve(_:)``, and returns the change with a value for the caller.
    /// - Returns: the value of the decision that was carried out.
    /// - Throws: the error of the store, or the error that `decide` throws. Nothing was changed then.
    public func decide<Value: Sendable>(
        _ key: String,
        _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> (EntryChange, Value)
    ) async throws(StoreError) -> Value {
        let result = Locked<Value?>(nil)
        try await update(key) { found throws(StoreError) in
            let (change, value) = try decide(found)
            result.withLock { $0 = value }
            return change
        }
        guard let value = result.withLock({ $0 }) else {
            throw .failed(operation: "update \"\(key)\"", reason: "the store decided nothing")
        }
        return value
    }
}
