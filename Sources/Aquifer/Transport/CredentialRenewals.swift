import AquiferConcurrency

/// Renews credentials, one renewal at a time, for all who wait.
final class CredentialRenewals: Sendable {
    private typealias Outcome = Result<Credentials, TransportError>

    /// A renewal under way.
    private final class Renewal: Sendable {
        let rejected: Credentials
        let outcome = Changing<Outcome?>(nil)
        let owner: ObjectIdentifier
        /// False once the app's function has returned. Tasks that it began may outlive it.
        let isRunning = Locked(true)

        init(of rejected: Credentials, for owner: CredentialRenewals) {
            self.rejected = rejected
            self.owner = ObjectIdentifier(owner)
        }
    }

    /// The end of a wait for a renewal.
    private enum Waited: Sendable {
        /// The renewal has ended so.
        case ended(Outcome)
        /// The renewal goes on, and this request waits no longer.
        case outOfPatience
        /// The waiting task was cancelled.
        case cancelled
    }

    private struct State {
        var underWay: Renewal?
        var ended: UInt64 = 0
    }

    /// The renewals that the current task carries out, or was begun by. Every task that a renewal begins has them for life, so that
    /// only those count that are running.
    @TaskLocal private static var active: [Renewal] = []

    private let state = Locked(State())
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let renew: AuthenticatingClient.Renew

    init(patience: Duration, clock: any Clock<Duration>, renew: @escaping AuthenticatingClient.Renew) {
        self.patience = patience
        self.clock = clock
        self.renew = renew
    }

    /// The number of renewals that have ended. Read it before the current credentials.
    var ended: UInt64 { state.withLock { $0.ended } }

    /// True in a task of the renewal itself while it runs: its requests must not wait for it.
    var isRenewing: Bool {
        Self.active.contains { $0.owner == ObjectIdentifier(self) && $0.isRunning.withLock { $0 } }
    }

    /// The new credentials, from the renewal under way or from one that begins now.
    ///
    /// The renewal does not end when those who wait have left: the server may have used up the old credentials.
    ///
    /// - Parameter ended: the number of ended renewals when `rejected` were still the current credentials.
    /// - Returns: `nil` if another renewal has ended meanwhile: look at the current credentials again.
    func renewed(_ rejected: Credentials, after ended: UInt64) async throws(TransportError) -> Credentials? {
        let (renewal, isNew): (Renewal?, Bool) = state.withLock { state in
            if let renewal = state.underWay { return (renewal, false) }
            guard state.ended == ended else { return (nil, false) }
            let renewal = Renewal(of: rejected, for: self)
            state.underWay = renewal
            return (renewal, true)
        }
        guard let renewal else { return nil }
        if isNew { Task { await self.carryOut(renewal) } }
        let outcome = try await self.outcome(of: renewal)
        guard renewal.rejected == rejected else { return nil }
        return try outcome.get()
    }

    /// Waits for a renewal, and not longer than `patience`. The renewal goes on after that.
    private func outcome(of renewal: Renewal) async throws(TransportError) -> Outcome {
        let waited = await withTaskGroup(of: Waited.self) { group in
            group.addTask { await Self.end(of: renewal).map { .ended($0) } ?? .cancelled }
            group.addTask { [clock, patience] in
                // Sleeping throws only when the renewal has ended, or nobody waits any more.
                do { try await clock.pause(for: patience) } catch { return .cancelled }
                return .outOfPatience
            }
            defer { group.cancelAll() }
            return await group.next() ?? .cancelled
        }
        switch waited {
        case .ended(let outcome): return outcome
        case .outOfPatience: throw TransportError(.timedOut, "the credentials were not renewed in time")
        case .cancelled: throw .cancelled
        }
    }

    /// The outcome of a renewal; `nil` when the task is cancelled.
    private static func end(of renewal: Renewal) async -> Outcome? {
        var (outcome, version) = renewal.outcome.current
        while true {
            if let outcome { return outcome }
            guard let next = await renewal.outcome.next(after: version) else { return nil }
            (outcome, version) = next
        }
    }

    private func carryOut(_ renewal: Renewal) async {
        let active = Self.active.filter { $0.isRunning.withLock { $0 } } + [renewal]
        let outcome = await Self.$active.withValue(active) { await self.outcome(ofRenewing: renewal.rejected) }
        renewal.isRunning.withLock { $0 = false }
        state.withLock { state in
            state.underWay = nil
            state.ended += 1
        }
        renewal.outcome.update { $0 = outcome }
    }

    private func outcome(ofRenewing rejected: Credentials) async -> Outcome {
        do {
            guard let renewed = try await renew(rejected) else { return .failure(.unauthorized) }
            return .success(renewed)
        } catch {
            return .failure(TransportError(ofCredentials: error, otherwise: .interrupted))
        }
    }
}

extension TransportError {
    /// The credentials were rejected, and there are no others.
    static let unauthorized = TransportError(.unauthorized, "the credentials were rejected, and there are no others")

    /// Nobody is logged in.
    static let loggedOut = TransportError(.unauthorized, "nobody is logged in")

    /// The failure of a request whose credentials could not be had, for this reason.
    ///
    /// - Parameter kind: the kind if the reason is no failure of a connection. A mistake in a request for the credentials is none of
    ///   the request that waits for them.
    init(ofCredentials error: any Error, otherwise kind: Kind) {
        switch error {
        case let error as TransportError where error.kind.mayConcernOthers,
            LoadError.connectivity(let error) where error.kind.mayConcernOthers:
            self.init(error.kind, "no credentials: \(error.detail)")
        case let error as LoadError where error.trouble == .denied:
            self = .unauthorized
        default:
            // The words of an unknown error may contain a token. Its type does not.
            self.init(kind, "no credentials: \(type(of: error))")
        }
    }
}

extension TransportError.Kind {
    /// False for what happened to one request because of itself, or of those who waited for it.
    fileprivate var mayConcernOthers: Bool { ![.cancelled, .unsupportedURL, .unreadableBody].contains(self) }
}
