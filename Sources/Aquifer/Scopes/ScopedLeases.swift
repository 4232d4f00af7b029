/// The leases of the loads of a ``Scope``, under the keys of its generation.
struct ScopedLeases: LoadLeases {
    let base: any LoadLeases
    let life: ScopeLife
    let ends: StoreChanges

    func take(
        _ key: String, for span: Duration, unlessSavedSince number: UInt64?
    ) async throws(StoreError) -> LeaseAnswer {
        try await base.take(try await life.enter() + key, for: span, unlessSavedSince: number)
    }

    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool {
        try await base.renew(try await life.enter() + key, number, for: span)
    }

    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError) {
        try await base.end(try await life.enter() + key, number, isSaved: isSaved)
    }

    /// The ends of the leases of a scope, as long as somebody listens.
    static func ends(of life: ScopeLife) -> StoreChanges {
        StoreChanges(whileObserved: { changes in
            life.base.leases?.ends.observe { change in
                // Before the first use nobody knows whose it is: looking again does no harm.
                guard let own = life.prefix else { return changes.post(.everything) }
                switch change {
                case .entry(let key): if let rest = key.rest(after: own) { changes.post(.entry(rest)) }
                case .prefix, .everything: changes.post(.everything)
                }
            } ?? StoreObservation {}
        })
    }
}
