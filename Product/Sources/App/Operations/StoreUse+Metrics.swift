extension StoreUse {
    /// Adds the use of all stores to a text.
    static func write(_ uses: [StoreUse], to text: inout OpenMetricsText) {
        if uses.isEmpty { return }
        text.family(
            "aquifer_pool_connections", .gauge, "Connections of a store to its database, without the listening one.")
        for use in uses {
            let pool = use.pool
            for (state, count) in [("busy", pool.busy), ("idle", pool.idle), ("opening", pool.opening)] {
                text.sample(count, [("store", use.kind.rawValue), ("state", state)])
            }
        }
        text.family("aquifer_pool_limit", .gauge, "The most connections that a store opens.")
        for use in uses { text.sample(use.pool.limit, [("store", use.kind.rawValue)]) }
        text.family("aquifer_pool_waiting", .gauge, "Requests of a store that no connection has taken yet.")
        for use in uses { text.sample(use.pool.waiting, [("store", use.kind.rawValue)]) }
        text.family("aquifer_memory_bytes", .gauge, "Bytes of the entries that are in memory before a store.")
        for use in uses { if let bytes = use.memoryBytes { text.sample(bytes, [("store", use.kind.rawValue)]) } }
        text.family("aquifer_memory_evictions", .counter, "Entries that memory has forgotten to make room.")
        for use in uses { if let count = use.memoryEvictions { text.sample(count, [("store", use.kind.rawValue)]) } }
    }
}
