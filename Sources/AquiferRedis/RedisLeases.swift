import Aquifer
import AquiferFoundation

extension RedisStore {
    /// The leases with which the machines load each value once for all of them. The lease of a machine that has died is free when its time
    /// has passed.
    public var leases: (any LoadLeases)? { RedisLeases(store: self) }
}

/// The leases of the loads over a ``RedisStore``. The server's clock decides when a lease is over.
///
/// A server that forgets a lease lets a second load begin, as each load would without leases.
struct RedisLeases: LoadLeases {
    let store: RedisStore
    var ends: StoreChanges { store.leaseEnds }

    func take(
        _ key: String, for span: Duration, unlessSavedSince first: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        let operation = "take the lease of \"\(key)\""
        let (names, token) = (store.names, Value.token().hexadecimal)
        // A command that is repeated after a break finds its own token.
        let (reply, _) = try await store.run(
            .takeLease, [names.lease(key), names.lastLease, names.savedLoad(key)].map(Command.Word.data),
            [.text(token), Self.milliseconds(span), .text(first.map { "\($0)" } ?? "")], to: operation)
        guard reply.list.count == 2, let number = reply.list[1].integer.flatMap(UInt64.init(exactly:)) else {
            throw store.strange(operation)
        }
        switch reply.list[0].integer {
        case 0: return .granted(number)
        case 1: return .held(number)
        case 2: return .saved(number)
        default: throw store.strange(operation)
        }
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        let (reply, _) = try await store.run(
            .renewLease, [.data(store.names.lease(key))], [.text("\(number)"), Self.milliseconds(span)],
            to: "renew the lease of \"\(key)\"")
        return reply.integer == 1
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        let (reply, _) = try await store.run(
            .endLease, [.data(store.names.lease(key)), .data(store.names.savedLoad(key))],
            [.text("\(number)"), .text(isSaved ? "1" : "0")] + store.toldOfLease(key),
            to: "end the lease of \"\(key)\"")
        if reply.integer == 1 { ends.post(.entry(key)) }
    }

    private static func milliseconds(_ span: Duration) -> Command.Word {
        .text("\(span.milliseconds(in: 1...Int64(1) << 50))")
    }
}
