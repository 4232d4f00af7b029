import Aquifer
import AquiferAudioFeed
import AquiferShadowDrive
import Foundation
import HTTPServer

/// The product in a browser: pages, their API, and the gate before both.
public final class WebServer: Sendable {
    /// The address to open. The token is behind its `#`, which a browser keeps to itself.
    public let link: String
    /// The port on which the server listens.
    public var port: UInt16 { entrance.port }
    /// True if the server has several users, and none has been added yet.
    public var hasNobody: Bool { house?.isEmpty ?? false }
    private let entrance: Entrance
    private let runner: OutboxRunner
    private let hub: ScreenHub
    private let keptClips: KeptClipsRunner
    private let house: UserHouse?
    private let following: Task<Void, Never>?
    private let sweeping: Task<Void, Never>

    /// Paths that take larger bodies, and the bytes of the largest.
    static let uploads = [
        AudioAPI.filePath: Int(ClipDraft.largestFile) + 1 << 20,
        DriveAPI.filePath: Int(ShadowDriveLimits.fileBytes) + 1 << 20,
    ]

    /// Serves the product at an entrance that listens.
    ///
    /// - Parameters:
    ///   - token: True if the API requires a token. The token is stored with the data, so that it stays the same.
    ///   - users: The users, each of whom has tokens and data alone; `nil` if there is one user only.
    ///   - quota: The most bytes that each user keeps.
    /// - Throws: `StoreError` if there is no token to agree on; ``UsersError`` when the users cannot be read.
    @MainActor
    public init(
        _ services: Services, at entrance: Entrance, token: Bool = true, users: (any UserRegister)? = nil,
        quota: UInt64? = nil
    ) async throws {
        let secret = token && users == nil ? try await services.groundwork.place.token() : nil
        // A replica without the key of the others would show their users no card.
        try await services.groundwork.ring?.prepare()
        let house = try await Self.house(services, users, quota)
        (self.house, self.entrance) = (house, entrance)
        house?.access.hearTroubles { [log = entrance.watch.log] in log.note(.users($0)) }
        if house == nil { await services.prepareDrive() }
        let addresses = SignedAddresses(token: secret, now: services.configuration.now)
        let site = Site(services, addresses: addresses)
        let operations = Operations(services, watch: entrance.watch, rooms: house?.rooms)
        let gate = Gate(
            host: entrance.host, port: entrance.port, token: secret, addresses: addresses, origins: entrance.origins,
            users: house?.access)
        entrance.open(
            Entrance.Doors(
                gate: { Self.admission(of: $0, gate) },
                handler: { await Self.answer($0, site, operations, house) },
                metrics: { await operations.answer($0) }))
        // A browser cannot open the address that stands for all addresses.
        let host = entrance.host
        let address = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        hub = site.hub
        runner = site.hub.runner
        // With several users each has an outbox alone.
        if house == nil {
            runner.start()
            site.hub.follow(SystemConnectionMonitor())
        }
        following = house.map { house in Task { await house.run() } }
        sweeping = Task { await Self.sweep(site.hub, house) }
        keptClips = site.hub.keptClips
        keptClips.start()
        // Behind a proxy pages are opened under its address.
        let origin = entrance.origins.first?.origin ?? "http://\(address.asURLHost):\(entrance.port)"
        link = "\(origin)/" + (secret.map { "#token=\($0)" } ?? "")
    }

    /// Removes what pages have left behind, at the start and each hour, until it is cancelled.
    private static func sweep(_ hub: ScreenHub, _ house: UserHouse?) async {
        repeat {
            if let house {
                await house.rooms.sweepDrafts()
            } else if let drafts = hub.services.groundwork.drafts {
                await hub.sweepDrafts(drafts)
            }
        } while (try? await Task.sleep(for: .hours(1))) != nil  // it ends when it is cancelled
    }

    private static func house(
        _ services: Services, _ users: (any UserRegister)?, _ quota: UInt64?
    ) async throws(UsersError) -> UserHouse? {
        guard let users else { return nil }
        return try await UserHouse(services, users, bound: quota ?? UserQuota.usual)
    }

    /// Ends in an orderly way. First `/readyz` says that no new requests are wanted, and all requests are answered for `grace`, so that
    /// load balancers notice. Then nothing new is accepted, requests under way and payments and posts of screens are finished, event
    /// streams are ended (their pages connect elsewhere), and no outbox begins a further item. Work that takes longer than ten seconds
    /// more is cut; an item of the outbox that is cut stays in the queue, with its key.
    public func drain(grace: Duration) async {
        entrance.watch.drain.announce()
        entrance.watch.log.note(LogLine("draining", sentence: "draining: no new requests are wanted"))
        // It ends early only if the caller's task is cancelled.
        if grace > .zero { try? await Task.sleep(for: grace) }
        let end = ContinuousClock.now + Self.patience
        async let sent: Void = runner.finish(within: Self.patience)
        async let sentForUsers: Void? = house?.rooms.finishSending(within: Self.patience)
        entrance.watch.drain.endStreams()
        await entrance.finish(grace: Self.patience)
        // No request begins anything from here on. A payment or a post of a screen goes on after the request that began it.
        _ = await firstWithin(end - .now) { [hub, house] in
            await hub.finish()
            await house?.rooms.finishScreens()
        }
        _ = await (sent, sentForUsers)
        await stop()
    }

    /// The longest that requests and items under way are waited for.
    private static let patience = Duration.seconds(10)

    /// Stops the server. It accepts no new connections, and gives open ones two seconds to finish.
    public func stop() async {
        entrance.watch.drain.endStreams()
        following?.cancel()
        sweeping.cancel()
        await following?.value
        await house?.rooms.stop()
        await keptClips.stop()
        await runner.stop()
        await entrance.stop()
    }

    /// Decides about a request by its head, so that no part of the body of a refused request is read.
    static func admission(of request: ServerRequest, _ gate: Gate) -> ServerAdmission {
        if Operations.isHealthCheck(request) { return .unknown }
        if let refusal = gate.refusal(request) { return .refused(refusal.hardened()) }
        guard request.path.hasPrefix("/api/") || request.rawPath == "/metrics" else {
            guard ["GET", "HEAD"].contains(request.method), request.body.isAbsent else {
                var refusal = ServerResponse.problem(405, "method", "pages are only read")
                refusal.headers["Allow"] = "GET, HEAD"
                return .refused(refusal.hardened())
            }
            return gate.isOpen ? .known : .unknown
        }
        if let refusal = gate.refusalOfStranger(request) { return .refused(refusal.hardened()) }
        return gate.knows(request) ? .known : .unknown
    }

    /// The answer to a request that was admitted.
    static func answer(
        _ request: ServerRequest, _ site: Site, _ operations: Operations, _ house: UserHouse? = nil
    ) async -> ServerResponse {
        if request.rawPath == "/metrics", house != nil {
            // They count what all users do.
            return .problem(403, "forbidden", "with several users, metrics are on --metrics-port only").hardened()
        }
        if let answer = await operations.answer(request) { return answer.hardened() }
        guard request.path.hasPrefix("/api/") else { return site.page(request).hardened() }
        if let refusal = operations.replica.refusal(of: request) { return refusal.hardened() }
        let answer = if let house { await house.answer(request) } else { await site.api(request) }
        return operations.replica.signed(answer).hardened()
    }
}
