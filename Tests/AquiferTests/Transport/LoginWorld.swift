import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

/// A server that accepts one token, and a login that renews it, under a test's control.
final class LoginWorld: Sendable {
    /// The outcome of a renewal.
    enum Renewal: Sendable {
        case succeeds
        case isDenied
        case fails(any Error)
    }

    private struct State {
        var owner = "ada"
        var token: Int? = 1
        var accepted = 1
        var outcome = Renewal.succeeds
        var renewals = 0
        var failure: (any Error)?
    }

    private let state = Locked(State())
    let api = URL(string: "https://api.example/v1/notes")!
    let clock = ManualClock()
    /// Holds each renewal until it is opened.
    let gate = Gate()

    /// The token in the hands of the app; `nil` when nobody is logged in.
    var token: Int? {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }
    /// The token that the server accepts.
    var accepted: Int {
        get { state.withLock { $0.accepted } }
        set { state.withLock { $0.accepted = newValue } }
    }
    /// The user who is logged in.
    var owner: String {
        get { state.withLock { $0.owner } }
        set { state.withLock { $0.owner = newValue } }
    }
    /// The outcome of the next renewals.
    var outcome: Renewal {
        get { state.withLock { $0.outcome } }
        set { state.withLock { $0.outcome = newValue } }
    }
    /// The error of asking for the credentials of the moment.
    var failure: (any Error)? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }
    /// The number of renewals that have begun.
    var renewals: Int { state.withLock { $0.renewals } }

    /// The answer of the server to a request.
    func reply(_ request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        request.headers["Authorization"] == "Bearer token-\(accepted)"
            ? .answer(body: Data("welcome".utf8)) : .answer(status: 401, body: Data("who?".utf8))
    }

    func scripted() -> ScriptedHTTPClient {
        ScriptedHTTPClient { [weak self] request in self?.reply(request) ?? .failure(TransportError(.offline)) }
    }

    func client(_ base: any HTTPClient, patience: Duration = .seconds(60)) -> AuthenticatingClient {
        AuthenticatingClient(base, origins: [api], patience: patience, clock: clock) {
            try self.current()
        } renew: {
            try await self.renew($0)
        }
    }

    func current() throws -> Credentials? {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.token.map { .bearer("token-\($0)", owner: state.owner) }
        }
    }

    func renew(_ rejected: Credentials) async throws -> Credentials? {
        state.withLock { $0.renewals += 1 }
        await gate.wait()
        return try state.withLock { state in
            switch state.outcome {
            case .succeeds:
                state.token = state.accepted
                return .bearer("token-\(state.accepted)", owner: state.owner)
            case .isDenied: return nil
            case .fails(let error): throw error
            }
        }
    }
}

extension HTTPRequest {
    /// The token that it carries.
    var token: String? { headers["Authorization"] }
}
