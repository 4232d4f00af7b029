/// The pace of a request's body: the time that its client had for it, against the bytes that came.
struct BodyPace {
    private let began: ContinuousClock.Instant
    private var held = Duration.zero
    private var heldSince: ContinuousClock.Instant?

    /// - Parameter began: when the head had come.
    init(began: ContinuousClock.Instant) {
        self.began = began
    }

    /// The handler does not read. The client's time is not counted until it reads again.
    mutating func hold(at now: ContinuousClock.Instant) {
        if heldSince == nil { heldSince = now }
    }

    /// The client may send again.
    mutating func letGo(at now: ContinuousClock.Instant) {
        guard let since = heldSince else { return }
        held += now - since
        heldSince = nil
    }

    /// True if so many bytes are too few for the time that there was: more than `timeout`, and a second for every
    /// `leastRate` bytes.
    func isOverdue(at now: ContinuousClock.Instant, bytes: Int, timeout: Duration, leastRate: Int) -> Bool {
        guard heldSince == nil else { return false }
        return now - began - held > timeout + .seconds(Double(bytes) / Double(max(1, leastRate)))
    }
}
