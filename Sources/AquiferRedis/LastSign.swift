/// The last sign of life of a connection's other side: bytes of an answer have come, or it has taken more of a request.
///
/// A large value on a slow network takes longer than a caller waits for a server that is away. It is no reason to give the connection up, which
/// all callers share.
struct LastSign {
    private(set) var moment: ContinuousClock.Instant
    private var seen: (request: Int, confirmed: Int)?

    /// - Parameter moment: when the connection was made.
    init(_ moment: ContinuousClock.Instant) { self.moment = moment }

    /// Notes that bytes have come.
    mutating func heard(at now: ContinuousClock.Instant) { moment = now }

    /// Looks for how much the other side has taken.
    ///
    /// The system of a server that hangs takes requests for as long as it has room. So only the request whose answer is awaited counts, and only
    /// until it has arrived whole: from then on, only an answer is a sign of life.
    ///
    /// - Parameters:
    ///   - request: the place of that request's end among all bytes of the connection; `nil` if no answer is awaited.
    ///   - confirmed: the number of bytes that the other side has confirmed.
    mutating func look(at now: ContinuousClock.Instant, request: Int?, confirmed: Int) {
        defer { seen = request.map { ($0, confirmed) } }
        guard let seen, seen.request == request, seen.confirmed < min(seen.request, confirmed) else { return }
        moment = now
    }
}
