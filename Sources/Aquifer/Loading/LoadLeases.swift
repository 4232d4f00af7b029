/// The leases of loads: among all machines that share a store, one load asks the remote for a key at a time.
///
/// A store that machines share has them (``CacheStore/leases``), and a ``Resource`` over it takes one before it asks. The other
/// machines wait until the holder has saved its answer, and deliver that. A lease saves requests. It protects nothing: a holder
/// that was paused may go on after its lease, and a save decides for itself that it is newer than what is there.
///
/// - A lease has a *number*, greater than the numbers of all earlier leases of its key.
/// - It is free again when its holder has ended it, when its time has passed by the place's own clock, or when the place
///   knows that the holder's machine has gone.
/// - A place that is out of reach throws. A load then asks without a lease.
///
/// `PostgresStore` and `RedisStore` have them. Every implementation passes `LoadLeasesContract` of `AquiferTesting`.
public protocol LoadLeases: Sendable {
    /// Takes the lease of a key if it is free, in one atomic step.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - span: the time after which the lease is free again, unless it is renewed.
    ///   - number: the number of the first load whose saved answer is as good as a lease; `nil` if none is.
    /// - Throws: ``StoreError`` if the place is out of reach.
    func take(_ key: String, for span: Duration, unlessSavedSince number: UInt64?) async throws(StoreError)
        -> LeaseAnswer

    /// Lets a lease last for another span from now.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - number: the number of the lease.
    ///   - span: the time after which the lease is free again.
    /// - Returns: false if somebody else has taken it, or it was ended.
    /// - Throws: ``StoreError`` if the place is out of reach.
    func renew(_ key: String, _ number: UInt64, for span: Duration) async throws(StoreError) -> Bool

    /// Ends a lease, and tells all machines. Does nothing if somebody else has taken it, or it was ended.
    ///
    /// - Parameters:
    ///   - key: the key of the entry.
    ///   - number: the number of the lease.
    ///   - isSaved: true if the load has saved an answer.
    /// - Throws: ``StoreError`` if the place is out of reach. The lease then ends with its time.
    func end(_ key: String, _ number: UInt64, isSaved: Bool) async throws(StoreError)

    /// Tells the keys of leases that were ended, here or on other machines. What is told may be lost.
    var ends: StoreChanges { get }
}

/// The answer to a load that wants a lease.
public enum LeaseAnswer: Sendable, Hashable {
    /// The caller has the lease of this number.
    case granted(UInt64)
    /// Somebody else has it.
    case held(UInt64)
    /// Nobody needs it: the load of this number has saved its answer.
    case saved(UInt64)
}

/// The times of loads that share leases.
public struct LeasePolicy: Sendable, Hashable {
    /// The time of a lease. A live holder renews it after each third of it.
    public var span: Duration
    /// The time after which a waiting load looks again, in case it was not told of an end, or nobody could tell it.
    public var look: Duration
    /// The time after which a waiting load asks the remote without a lease.
    public var patience: Duration
    /// The time that the leases have for an answer. Without one, a load asks the remote without a lease. Leases that hang delay a load by
    /// this time before it asks, and as long again before it delivers.
    public var answer: Duration

    /// A policy. By default a lease lasts 10 s, a waiting load looks each 250 ms and waits for at most a minute, and the leases
    /// have 2 s for an answer.
    public init(
        span: Duration = .seconds(10), look: Duration = .milliseconds(250), patience: Duration = .minutes(1),
        answer: Duration = .seconds(2)
    ) {
        self.span = span
        self.look = look
        self.patience = patience
        self.answer = answer
    }
}
