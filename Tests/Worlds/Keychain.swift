import Aquifer
import AquiferTesting
import Foundation

/// The tokens on one device: they survive its processes, and are on no disk.
final class Keychain: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    struct Tokens {
        let access: String
        let renewer: String
    }

    var tokens: [String: Tokens] = [:]
}

/// The hands that hold a user's tokens in one life of a process: they show them, renew them, get the first ones, and drop them.
final class TokenHolder: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    let user: String
    /// The name of the login, which no other one has.
    let name: String
    let judge: CredentialsJudge
    private let process: SimulatedProcess
    private let keychain: Keychain
    /// True once the user has logged out.
    private(set) var isOver = false
    /// The name of the user's place in the keychain, which a later login of this user on this device shares.
    var place: String { "\(process.name) \(user)" }
    /// Sends the renewal: the client behind the ``AuthenticatingClient``, or that one itself.
    var client: () -> any HTTPClient

    private var world: Simulation { process.world }
    private var random: SimulatedRandom { process.random }

    init(_ user: String, _ process: SimulatedProcess, _ keychain: Keychain, _ judge: CredentialsJudge) {
        (self.user, self.process, self.keychain, self.judge) = (user, process, keychain, judge)
        name = "\(user)|\(process.name)#\(process.starts).\(judge.nextNumber)"
        client = { process.client }
        judge.hold(tokens?.access, at: place)
    }

    private(set) var tokens: Keychain.Tokens? {
        get { isOver ? nil : keychain.tokens[user] }
        set {
            guard world.callerIsAlive, !isOver else { return }
            keychain.tokens[user] = newValue
            judge.hold(newValue?.access, at: place)
        }
    }

    /// Forgets the tokens; for good if the user has logged out.
    func drop(forGood: Bool = false) {
        tokens = nil
        if forGood { isOver = true }
    }

    func current() throws -> Credentials? {
        if world.switches.contains("anyone"), let token = random.element(of: keychain.tokens.keys.sorted()) {
            return keychain.tokens[token].map { .bearer($0.access, owner: "anyone") }
        }
        if judge.mayFail, random.chance(0.02) { throw Trouble(words: tokens?.access) }
        guard let tokens else {
            if random.chance(0.5) { throw TransportError(.unauthorized, "nobody is logged in") }
            return nil
        }
        return .bearer(tokens.access, owner: user)
    }

    func renew(_ rejected: Credentials) async throws -> Credentials? {
        let token = rejected.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        judge.beginRenewal(self, of: token)
        defer { judge.endRenewal(self) }
        guard let old = tokens else { return nil }
        // The user has logged in once more meanwhile.
        if old.access != token { return .bearer(old.access, owner: user) }
        if judge.mayFail, random.chance(0.05) { throw Trouble(words: old.renewer) }
        let (status, found) = try await ask("renew", old.renewer, client())
        world.expect(!Task.isCancelled, "a renewal was cancelled")
        guard tokens?.access == old.access else { return tokens.map { .bearer($0.access, owner: user) } }
        guard let found else {
            if status == 400 { tokens = nil }
            return nil
        }
        judge.renewed(self, token)
        tokens = found
        return .bearer(found.access, owner: user)
    }

    /// Logs in at the server.
    func logIn() async {
        do {
            guard let found = try await ask("login", user, process.client).1 else { return }
            tokens = found
        } catch { world.note("\(user) cannot log in: \(error)") }
    }

    /// - Returns: the status 200 with tokens; 400 without.
    private func ask(_ path: String, _ words: String, _ client: any HTTPClient) async throws -> (Int, Keychain.Tokens?)
    {
        guard let url = URL(string: "http://login.example/\(path)") else { return (0, nil) }
        let limits = HTTPRequest.Limits(total: .seconds(random.int(in: 5...100)))
        let response = try await client.send(HTTPRequest(.post, url, body: .bytes(Data(words.utf8)), limits: limits))
        let body = String(decoding: try await response.data(upTo: 1 << 10), as: UTF8.self)
        guard [200, 400].contains(response.head.status), response.head.mediaType == "text/plain" else {
            throw LoadError.invalidData(.status(response.head.status))
        }
        let parts = body.split(separator: " ").map(String.init)
        return (response.head.status, parts.count == 2 ? .init(access: parts[0], renewer: parts[1]) : nil)
    }

    /// An error whose words contain a token.
    private struct Trouble: Error {
        let words: String?
    }
}
