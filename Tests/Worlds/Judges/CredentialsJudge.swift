import Aquifer
import AquiferTesting
import Foundation

/// Knows which token is in whose hands, follows each request through its attempts, and reads all bytes of the disk.
final class CredentialsJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// A request of a user, from its call to its outcome.
    final class Trip: @unchecked Sendable {
        let holder: TokenHolder
        let isItem: Bool
        /// When it began, or had its last answer.
        var last: Int
        /// The status of each attempt with credentials; `nil` without an answer.
        var statuses: [Int?] = []

        init(_ holder: TokenHolder, isItem: Bool, _ begun: Int) {
            (self.holder, self.isItem, last) = (holder, isItem, begun)
        }
    }

    let world: Simulation
    private let server: TokenServer
    private var moments = 0
    private var trips: [Trip] = []
    /// The tokens that each place of a keychain has had, each with the moment of its coming.
    private var held: [String: [(moment: Int, token: String?)]] = [:]
    private var renewing: Set<ObjectIdentifier> = []
    /// The tokens that a client has replaced by a renewal.
    private var replaced: Set<String> = []
    /// The notes that were queued for good.
    private var queued: [String] = []
    private var logins = 0
    /// False once all is calm.
    var mayFail = true

    init(_ world: Simulation, _ server: TokenServer) { (self.world, self.server) = (world, server) }

    private var now: Int {
        moments += 1
        return moments
    }

    /// A number for the name of a login.
    var nextNumber: Int {
        logins += 1
        return logins
    }

    // MARK: Tokens

    func hold(_ token: String?, at place: String) { held[place, default: []].append((now, token)) }

    /// True if this was the holder's token at a moment since then.
    private func wasCurrent(_ token: String?, of holder: TokenHolder, since moment: Int) -> Bool {
        if holder.isOver, token == nil { return true }
        let all = held[holder.place] ?? []
        return all.indices.contains { index in
            all[index].token == token && (index + 1 == all.count || all[index + 1].moment > moment)
        }
    }

    func beginRenewal(_ holder: TokenHolder, of token: String) {
        guard world.callerIsAlive else { return }
        world.note("\(holder.user) renews \(token)")
        world.expect(renewing.insert(ObjectIdentifier(holder)).inserted, "\(holder.user) has two renewals at once")
        world.expect(!replaced.contains("\(holder.name) \(token)"), "\(token) was renewed already")
    }

    func renewed(_ holder: TokenHolder, _ token: String) {
        if world.callerIsAlive { replaced.insert("\(holder.name) \(token)") }
    }

    func endRenewal(_ holder: TokenHolder) {
        if world.callerIsAlive { renewing.remove(ObjectIdentifier(holder)) }
    }

    // MARK: Requests

    func begin(_ holder: TokenHolder, isItem: Bool) -> (number: Int, trip: Trip) {
        trips.append(Trip(holder, isItem: isItem, now))
        return (trips.count - 1, trips[trips.count - 1])
    }

    /// A request leaves.
    ///
    /// - Returns: the trip if it has credentials.
    func attempt(_ request: HTTPRequest) -> Trip? {
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        guard request.url.host() == "notes.example" else {
            world.expect(token == nil, "\(request.url) got credentials")
            return nil
        }
        guard world.callerIsAlive, let number = request.headers["X-Trip"].flatMap({ Int($0) }) else { return nil }
        let trip = trips[number]
        let user = trip.holder.user
        world.expect(token != nil || !trip.isItem, "an item of \(user) was sent without credentials")
        world.expect(
            wasCurrent(token, of: trip.holder, since: trip.last),
            "\(user) had other credentials when \(token ?? "none") was sent")
        guard let token else { return nil }
        world.expect(server.owner(of: token) == user, "\(user) has sent with another user's credentials")
        world.expect(trip.statuses.allSatisfy { $0 == 401 }, "sent again after \(trip.statuses)")
        world.expect(trip.statuses.count < 2, "sent again after two 401")
        trip.statuses.append(nil)
        return trip
    }

    func answered(_ trip: Trip, _ status: Int) {
        guard world.callerIsAlive else { return }
        trip.statuses[trip.statuses.count - 1] = status
        trip.last = now
    }

    /// The caller has an answer with this status, or an error.
    func end(_ trip: Trip, _ status: Int?) {
        guard world.callerIsAlive, let last = trip.statuses.last, last == 401 else { return }
        if trip.statuses.count == 2 {
            world.expect(status == 401, "the second 401 was delivered as \(status.map { "\($0)" } ?? "an error")")
        } else {
            world.expect(status == nil, "the first 401 was delivered as \(status ?? 0)")
        }
    }

    func loaded(_ page: String, _ holder: TokenHolder) {
        world.expect(page.hasPrefix("\(holder.user)|"), "\(holder.user) was shown \(page)")
    }

    // MARK: Items

    func queued(_ note: String) {
        guard world.callerIsAlive else { return }
        queued.append(note)
        world.note("has queued \(note)")
    }

    func compare() {
        for note in queued { world.expect(server.has(note), "\(note) was acknowledged and is lost") }
    }

    // MARK: The disk

    /// No byte on the disk is one of a token.
    func scan() {
        let mark = Data(TokenServer.mark.utf8)
        for path in world.disk.paths where world.disk.read(path)?.range(of: mark) != nil {
            world.expect(false, "\(path) contains credentials")
        }
    }
}

/// What a user's loads and outbox send with: follows each request from the call to the outcome.
struct TripClient: HTTPClient {
    let base: any HTTPClient
    let holder: TokenHolder

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let (number, trip) = holder.judge.begin(holder, isItem: request.headers["Idempotency-Key"] != nil)
        var request = request
        request.headers["X-Trip"] = "\(number)"
        do throws(TransportError) {
            let response = try await base.send(request)
            holder.judge.end(trip, response.head.status)
            return response
        } catch {
            if error.kind != .cancelled { holder.judge.end(trip, nil) }
            throw error
        }
    }
}

/// What an ``AuthenticatingClient`` sends with: sees the credentials.
struct AttemptClient: HTTPClient {
    let base: any HTTPClient
    let judge: CredentialsJudge

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let trip = judge.attempt(request)
        let response = try await base.send(request)
        if let trip { judge.answered(trip, response.head.status) }
        return response
    }
}
