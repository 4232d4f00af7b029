import Aquifer
import AquiferConcurrency
import Foundation

/// Leases in this process's memory, for tests in which several machines share a store.
///
/// ```swift
/// let place = MemoryLeases()
/// let stores = (0..<3).map { _ in LeasingStore(shared, leases: place.machine()) }
/// ```
public final class MemoryLeases: Sendable {
    private struct Lease {
        var number: UInt64
        var machine: UInt64
        /// The moment at which it is free; `nil` if it was ended.
        var until: Date?
        var saved: UInt64 = 0
    }

    private struct State {
        var last: UInt64 = 0
        var lastMachine: UInt64 = 0
        var leases: [[UInt8]: Lease] = [:]
        var gone: Set<UInt64> = []
        var listeners: [StoreChanges] = []
        var granted = 0
    }

    private let state = Locked(State())
    private let now: @Sendable () -> Date

    /// Leases whose time passes by this clock.
    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// The number of leases that were granted so far.
    public var granted: Int { state.withLock { $0.granted } }

    /// A machine that shares these leases with others.
    public func machine() -> Machine {
        let ends = StoreChanges()
        let number = state.withLock { state in
            state.lastMachine += 1
            state.listeners.append(ends)
            return state.lastMachine
        }
        return Machine(place: self, number: number, ends: ends)
    }

    /// The leases as one machine sees them.
    public struct Machine: LoadLeases {
        fileprivate let place: MemoryLeases
        fileprivate let number: UInt64
        /// See `LoadLeases.ends`.
        public let ends: StoreChanges

        /// See `LoadLeases.take(_:for:unlessSavedSince:)`.
        public func take(
            _ key: String, for span: Duration, unlessSavedSince first: UInt64?
        ) async throws(StoreError) -> LeaseAnswer {
            let now = place.now()
            return place.state.withLock { state in
                let old = state.leases[Array(key.utf8)]
                if let old, let first, old.saved >= first { return .saved(old.saved) }
                if let old, let until = old.until, until > now, !state.gone.contains(old.machine) {
                    return .held(old.number)
                }
                state.last += 1
                state.granted += 1
                state.leases[Array(key.utf8)] = Lease(
                    number: state.last, machine: number, until: now + span.timeInterval, saved: old?.saved ?? 0)
                return .granted(state.last)
            }
        }

        /// See `LoadLeases.renew(_:_:for:)`.
        public func renew(_ key: String, _ lease: UInt64, for span: Duration) async throws(StoreError) -> Bool {
            let now = place.now()
            return place.state.withLock { state in
                guard let old = state.leases[Array(key.utf8)], old.number == lease, old.until != nil else {
                    return false
                }
                state.leases[Array(key.utf8)]?.until = now + span.timeInterval
                return true
            }
        }

        /// See `LoadLeases.end(_:_:isSaved:)`.
        public func end(_ key: String, _ lease: UInt64, isSaved: Bool) async throws(StoreError) {
            let listeners = place.state.withLock { state in
                guard let old = state.leases[Array(key.utf8)], old.number == lease, old.until != nil else {
                    return [StoreChanges]()
                }
                state.leases[Array(key.utf8)]?.until = nil
                if isSaved { state.leases[Array(key.utf8)]?.saved = lease }
                return state.listeners
            }
            for listener in listeners { listener.post(.entry(key)) }
        }

        /// Ends this machine, as a loss of its power does: its leases are free, and nobody is told.
        public func die() {
            place.state.withLock { _ = $0.gone.insert(number) }
        }
    }
}

/// A store with leases, for tests: a store that machines share, as one of them sees it.
public struct LeasingStore: ForwardingStore {
    /// The store that keeps the entries.
    public let base: any CacheStore
    /// See `CacheStore.leases`.
    public let leases: (any LoadLeases)?

    /// A store over another one, with these leases.
    public init(_ base: any CacheStore, leases: any LoadLeases) {
        self.base = base
        self.leases = leases
    }
}
