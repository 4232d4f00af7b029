import AquiferConcurrency

/// Renews credentials, one renewal at a time, for all who wait.
final class CredentialRenewals: Sendable {
    private typealias Outcome = Result<Credentials, TransportError>

    /// A renewal under way.
    private final class Renewal: Sendable {
        let rejected: Credentials
        let outcome = Changing<Outcome?>(nil)

        init(of rejected: Credentials) { self.rejected = rejected }
    }

    private struct State {
        var underWay: Renewal?
        var ended: UInt64 = 0
    }

    /// The objects of this class whose renewal the current task carries out.
    @TaskLocal private static var active: Set<ObjectIdentifier> = []

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

    /// True in a task of the renewal itself, whose requests must not wait for it.
    var isRenewing: Bool { Self.active.contains(ObjectIdentifier(self)) }

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
            let renewal = Renewal(of: rejected)
            state.underWay = renewal
            return (renewal, true)
        }
        guard let renewal else { return nil }
        if isNew { Task { await self.carryOut(renewal) } }
        let outcome = try await self.outcome(of: renewal)
        guard renewal.rejected == rejected else { return nil }
        return try outcome.get()
    }

    private func outcome(of renewal: Renewal) async throws(TransportError) -> Outcome {
        var (outcome, version) = renewal.outcome.current
        while true {
            if let outcome { return outcome }
            guard let next = await renewal.outcome.next(after: version) else { throw .cancelled }
            (outcome, version) = next
        }
    }

    private func carryOut(_ renewal: Renewal) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                let active = Self.active.union([ObjectIdentifier(self)])
                let outcome = await Self.$active.withValue(active) { await self.outcome(ofRenewing: renewal.rejected) }
                self.end(renewal, outcome)
            }
            group.addTask {
                // Sleeping throws only when the renewal has ended.
                do { try await self.clock.sleep(for: self.patience) } catch { return }
                self.end(renewal, .failure(TransportError(.timedOut, "the credentials were not renewed in time")))
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func outcome(ofRenewing rejected: Credentials) async -> Outcome {
        do {
            guard let renewed = try await renew(rejected) else { return .failure(.unauthorized) }
            return .success(renewed)
        } catch {
            return .failure(TransportError(ofCredentials: error))
        }
    }

    /// Tells all who wait. Only the first end of a renewal counts.
    private func end(_ renewal: Renewal, _ outcome: Outcome) {
        let isFirst = state.withLock { state in
            guard state.underWay === renewal else { return false }
            state.underWay = nil
            state.ended += 1
            return true
        }
        if isFirst { renewal.outcome.update { $0 = outcome } }
    }
}

extension TransportError {
    /// The credentials were rejected, and there are no others.
    static let unauthorized = TransportError(.unauthorized, "the credentials were rejected, and there are no others")

    /// The failure of a request whose credentials could not be had, for this reason.
    init(ofCredentials error: any Error) {
        switch error {
        case let error as TransportError where error.kind != .cancelled:
            self.init(error.kind, "no credentials: \(error.detail)")
        case LoadError.connectivity(let error):
            self.init(error.kind, "no credentials: \(error.detail)")
        case let error as LoadError where error.trouble == .denied:
            self = .unauthorized
        default:
            // The words of an unknown error may contain a token. Its type does not.
            self.init(.interrupted, "no credentials: \(type(of: error))")
        }
    }
}
