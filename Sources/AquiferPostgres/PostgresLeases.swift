import Aquifer
import AquiferFoundation

extension PostgresStore {
    /// The leases with which the machines load each value once for all of them; `nil` if the store was opened without.
    public var leases: (any LoadLeases)? { hasLeases ? PostgresLeases(store: self, ends: leaseEnds) : nil }

    /// The instances of this store that live, by their connections.
    public var presence: (any StorePresence)? { PostgresPresence(store: self) }
}

/// The leases of the loads over a ``PostgresStore``: a row for each key, in a table that a crash of the server empties.
///
/// The server's clock decides when a lease is over. It ends at once when the connection ends by which its holder listens.
struct PostgresLeases: LoadLeases {
    let store: PostgresStore
    let ends: StoreChanges

    func take(
        _ key: String, for span: Duration, unlessSavedSince first: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        let (id, token) = (Parameter.text(key), Parameter.bytes(Row.newMark()))
        let presence = store.presenceOfThis
        let steps = [
            Request.Step(
                .takeLease,
                [
                    id, token, .integer(presence.visible), .integer(span.milliseconds(in: 0...1 << 50)),
                    first.map { .integer(Int64(clamping: $0)) } ?? .null, .integer(presence.seesOthers ? 1 : 0),
                ]),
            Request.Step(.lookAtLease, [id, token]),
        ]
        // If the connection breaks in between, the lease is asked for again by the same token.
        let answers = try await store.ask(steps, to: "take the lease of \"\(key)\"")
        guard let rows = answers.last, rows.count == 1, let isMine = rows.integer(0, 0),
            let number = rows.integer(0, 1).flatMap(UInt64.init(exactly:)),
            let saved = rows.integer(0, 2).flatMap(UInt64.init(exactly:))
        else { throw .failed(operation: "take the lease of \"\(key)\"", reason: "\(store.place): it has gone") }
        if isMine == 1 { return .granted(number) }
        if let first, saved >= first { return .saved(saved) }
        return .held(number)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        let parameters: [Parameter] = [
            .text(key), .integer(Int64(clamping: number)), .integer(store.presenceOfThis.visible),
            .integer(span.milliseconds(in: 0...1 << 50)),
        ]
        let rows = try await store.ask([.init(.renewLease, parameters)], to: "renew the lease of \"\(key)\"")
        return rows.first?.count == 1
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        let parameters: [Parameter] = [
            .text(key), .integer(Int64(clamping: number)), .integer(isSaved ? 1 : 0),
        ]
        let rows = try await store.ask(
            [.init(.endLease, parameters + store.toldOfLease(key))], to: "end the lease of \"\(key)\"")
        if rows.first?.integer(0, 0) == 1 { ends.post(.entry(key)) }
    }
}
