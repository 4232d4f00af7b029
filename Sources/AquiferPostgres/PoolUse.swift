/// The connections of a ``PostgresStore`` at one moment, without the one that listens to changes.
public struct PoolUse: Sendable, Hashable {
    /// The most connections that the store opens.
    public var limit = 0
    /// Connections with a request on its way.
    public var busy = 0
    /// Open connections with nothing to do.
    public var idle = 0
    /// Connections that are being made.
    public var opening = 0
    /// Requests that no connection has taken yet.
    public var waiting = 0

    /// Numbers of connections and requests.
    public init(limit: Int = 0, busy: Int = 0, idle: Int = 0, opening: Int = 0, waiting: Int = 0) {
        (self.limit, self.busy, self.idle, self.opening, self.waiting) = (limit, busy, idle, opening, waiting)
    }
}

extension PostgresStore {
    /// The use of the store's connections. It is as of the last round of the thread that has them; a call that was alone takes no round.
    public var use: PoolUse { owner.loop.use }
}
