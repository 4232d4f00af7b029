import AquiferConcurrency

/// The sign by which other machines see that this store's machine lives: an advisory lock of the connection that listens. The
/// server releases it the moment the connection ends, however the machine does.
final class Presence: Sendable {
    private let state = Locked((number: draw(), isHere: false, trustedFrom: ContinuousClock.now))
    /// After a break of the connection, such as a restart of the server, others get this time to come back, too.
    private static let grace = Duration.seconds(2)

    /// The number of the lock. No other one has it.
    var number: Int64 { state.withLock { $0.number } }

    /// The number while others can see it; 0 while they cannot, so that time alone ends what is held.
    var visible: Int64 { state.withLock { $0.isHere ? $0.number : 0 } }

    /// True if a lock that is missing means that its machine has gone.
    var seesOthers: Bool { state.withLock { $0.isHere && $0.trustedFrom <= .now } }

    /// Takes another number, because the server has not noticed the end of the last connection yet.
    func renumber() { state.withLock { $0.number = Self.draw() } }

    func appear(again: Bool) {
        state.withLock { state in
            state.isHere = true
            state.trustedFrom = again ? .now + Self.grace : .now
        }
    }

    func disappear() { state.withLock { $0.isHere = false } }

    private static func draw() -> Int64 { .random(in: 1 ... .max) }
}
