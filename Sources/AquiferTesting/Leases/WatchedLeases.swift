import Aquifer
import AquiferConcurrency

/// Leases that count their answers, for tests that must know that a machine waits for another one.
///
/// A machine that has not yet looked when the load of another one ends makes a load of its own, and rightly so.
package struct WatchedLeases: LoadLeases {
    private let base: any LoadLeases
    private let count = Locked(0)

    /// Counts the answers of other leases.
    package init(_ base: any LoadLeases) { self.base = base }

    /// The number of answers so far to a machine that wanted a lease.
    package var answers: Int { count.withLock { $0 } }

    package var ends: StoreChanges { base.ends }

    package func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        let answer = try await base.take(key, for: span, unlessSavedSince: number)
        count.withLock { $0 += 1 }
        return answer
    }

    package func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        try await base.renew(key, number, for: span)
    }

    package func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        try await base.end(key, number, isSaved: isSaved)
    }
}
