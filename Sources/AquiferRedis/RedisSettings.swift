import Aquifer

/// The settings of a Redis server that decide what a cache in it promises.
public struct RedisSettings: Sendable, Hashable {
    /// The failure that an acknowledged change survives.
    public enum Durability: String, Sendable, Hashable {
        /// Nothing: all is lost with the server's process (`appendonly no`, `save ""`).
        case nothing
        /// An ordinary end of the server. A crash takes the changes since the last snapshot (`appendonly no`, with `save`).
        case shutdown
        /// A crash of the server. A loss of power takes about a second (`appendfsync everysec`), or more (`no`).
        case process
        /// A loss of power (`appendfsync always`).
        case power
    }

    /// The durability of changes; `nil` if the server does not tell its settings.
    public var durability: Durability?
    /// The bytes that the server may use; `nil` if there is no limit, or the server does not tell.
    public var memoryLimit: UInt64?
    /// True if a full server forgets entries; false if it refuses to save then (`StoreError.full(path:)`). `nil` if the server does not
    /// tell.
    public var forgetsWhenFull: Bool?

    /// Settings; by default, nothing is known.
    public init(durability: Durability? = nil, memoryLimit: UInt64? = nil, forgetsWhenFull: Bool? = nil) {
        self.durability = durability
        self.memoryLimit = memoryLimit
        self.forgetsWhenFull = forgetsWhenFull
    }

    /// The settings in the answer to `CONFIG GET`.
    init(_ found: [String: String]) {
        guard let appends = found["appendonly"] else { return }
        if appends == "yes" {
            durability = found["appendfsync"] == "always" ? .power : .process
        } else {
            durability = found["save"]?.isEmpty ?? true ? .nothing : .shutdown
        }
        memoryLimit = found["maxmemory"].flatMap { UInt64($0) }.flatMap { $0 == 0 ? nil : $0 }
        forgetsWhenFull = found["maxmemory-policy"].map { $0 != "noeviction" }
    }
}

extension RedisStore {
    /// The settings of the server that decide what this store promises.
    ///
    /// A server of a hosting service may not tell them: all are `nil` then.
    ///
    /// - Throws: `StoreError.failed(operation:reason:)` if the server cannot be reached.
    public func settings() async throws(StoreError) -> RedisSettings {
        var found: [String: String] = [:]
        for name in ["appendonly", "appendfsync", "save", "maxmemory", "maxmemory-policy"] {
            let (replies, _) = try await answers([Command("CONFIG", "GET", name)], "read the server's settings")
            let words = replies[0].list
            if words.count == 2 { found[words[0].text] = words[1].text }
        }
        return RedisSettings(found)
    }
}
