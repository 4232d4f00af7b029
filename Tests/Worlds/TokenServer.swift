import Aquifer
import AquiferTesting
import Foundation

/// Two servers: one gives tokens for a user's name, or for a token that renews them; the other takes notes once, and has a page
/// for each user. It knows whose each token is.
final class TokenServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    /// Each token contains this word, which stands nowhere else.
    static let mark = "secret-"

    private let world: Simulation
    /// True if a token that renews can be used once, as many servers have it.
    private let isOneTime: Bool
    private var owners: [String: String] = [:]
    private var expiries: [String: Date] = [:]
    private var renewers: [String: String] = [:]
    /// The key with which each note came first.
    private var keys: [String: String] = [:]
    private var pages = 0
    /// True while it sometimes rejects a token for no reason.
    var isMoody = true

    init(_ world: Simulation) {
        self.world = world
        isOneTime = world.random.chance(0.5)
    }

    /// The user whose token this was, whether it has expired or not.
    func owner(of token: String) -> String? { owners[token] }

    func has(_ note: String) -> Bool { keys[note] != nil }

    // MARK: Tokens

    func login(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        await pause()
        world.expect(request.headers["Authorization"] == nil, "the server of tokens got the credentials of another one")
        let words = String(decoding: request.body, as: UTF8.self)
        guard request.url.lastPathComponent == "renew" else { return tokens(of: words) }
        guard let user = renewers[words] else {
            return .init(status: 400, headers: ["Content-Type": "text/plain"], body: Data("unknown".utf8))
        }
        if isOneTime { renewers[words] = nil }
        return tokens(of: user)
    }

    private func tokens(of user: String) -> SimulatedNetwork.Answer {
        let (access, renewer) = (Self.mark + world.random.uuid().uuidString, Self.mark + world.random.uuid().uuidString)
        owners[access] = user
        expiries[access] = world.date + world.random.duration(in: .seconds(3) ... .seconds(60)).timeInterval
        renewers[renewer] = user
        world.note("gives \(user) \(access)")
        return .init(headers: ["Content-Type": "text/plain"], body: Data("\(access) \(renewer)".utf8))
    }

    // MARK: Notes and pages

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        await pause()
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        guard let token, let user = owners[token], let expiry = expiries[token], world.date < expiry,
            !(isMoody && world.random.chance(0.05))
        else { return .init(status: 401, headers: ["Content-Type": "text/plain"], body: Data("who?".utf8)) }
        let answer: SimulatedNetwork.Answer
        if request.method == .get {
            pages += 1
            answer = .init(headers: ["Content-Type": "text/plain"], body: Data("\(user)|\(pages)".utf8))
        } else {
            answer = take(String(decoding: request.body, as: UTF8.self), of: user, request.headers["Idempotency-Key"])
        }
        await pause()
        return answer
    }

    private func take(_ note: String, of user: String, _ key: String?) -> SimulatedNetwork.Answer {
        world.expect(note.hasPrefix("\(user)|"), "\(note) was sent with the credentials of \(user)")
        guard let key else { return .init(status: 422) }
        let first = keys[note]
        world.expect(first == nil || first == key, "\(note) was sent as two operations")
        if first == nil { world.note("takes \(note)") }
        keys[note] = key
        return .init(status: 201, body: Data("noted".utf8))
    }

    private func pause() async {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .seconds(2)))
    }
}
