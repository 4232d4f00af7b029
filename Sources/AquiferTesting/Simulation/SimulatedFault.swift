/// A fault that can happen in a ``Simulation``.
public enum SimulatedFault: String, Sendable, CaseIterable {
    // MARK: Processes

    /// A process is killed, between two steps or at a call of disk or network, and started again later.
    case kill
    /// Time passes while somebody could go on: a slow machine.
    case slowness
    /// The date of a process is wrong, and jumps.
    case clockSkew

    // MARK: Network

    /// A request is lost before it reaches the server: no answer comes, or the connection is refused.
    case requestLost
    /// The server has acted, and its answer is lost.
    case answerLost
    /// The answer ends in the middle of its body.
    case bodyCut
    /// A request that has an idempotency key, or is safe, arrives twice.
    case duplicated
    /// An answer takes seconds.
    case slowNetwork
    /// A name cannot be resolved, or only after a long while.
    case nameFails
    /// Somebody between redirects a request to another page, before the server acts or after.
    case redirect
    /// A captive portal answers in place of the server.
    case portal
    /// The server answers with a status from 500 to 504, or 429, before it acts or after.
    case serverError
    /// The server is restarted; what it was doing is lost.
    case serverRestart
    /// The server's `Date` is wrong.
    case serverDate

    // MARK: Disk

    /// The machine loses its power: what was not flushed may be lost, wholly or in part, in any order.
    case powerCut
    /// There is no room left.
    case diskFull
    /// A call fails with an error of the device.
    case ioError
    /// There are no descriptors left.
    case tooManyFiles
    /// A bit of a file is flipped.
    case bitFlip
    /// A file loses its end.
    case fileCut
    /// Two files change places.
    case fileSwapped
    /// Another process runs in the middle of a job, at a call of the disk.
    case preemption

    // MARK: Processes, once more

    /// A process is stopped, between two steps or at a call of the disk, and goes on up to two minutes later: `SIGSTOP`, or a
    /// system that freezes an app. Drawn after all others.
    case stop
}
