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
    public var port: UInt16 { server.port }
    /// The address of the metrics on their own port; `nil` if they have none.
    public var metricsAddress: String? { metrics?.address }
    private let server: HTTPServer
    private let metrics: MetricsServer?
    private let operations: Operations
    private let runner: OutboxRunner
    private let keptClips: KeptClipsRunner
    private let house: UserHouse?
    private let following: Task<Void, Never>?

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - origins: The addresses under which proxies before the server answer.
    ///   - token: True if the API requires a token. The token is stored with the data, so that it stays the same.
    ///   - metricsPort: The port on loopback for metrics without a token, 0 for any free one; `nil` for none.
    ///   - log: The log of requests and events.
    ///   - users: The users, each of whom has tokens and data alone; `nil` if there is one user only.
    ///   - quota: The most bytes that each user keeps.
    /// - Throws: ``ServerError`` when the server cannot listen on the address; `StoreError` if there is no token to agree on;
    ///   ``UsersError`` when the users cannot be read.
    @MainActor
    public init(
        _ services: Services, host: String = "127.0.0.1", port: UInt16 = 8080, token: Bool = true,
        origins: [WebOrigin] = [], metricsPort: UInt16? = nil, log: ServiceLog = .off, users: UsersFile? = nil,
        quota: UInt64? = nil
    ) async throws {
        let secret = token && users == nil ? try await services.groundwork.place.token() : nil
        let house = try users.map { try UserHouse(services, $0, bound: quota ?? UserQuota.usual) }
        self.house = house
        let addresses = SignedAddresses(token: secret, now: services.configuration.now)
        let site = Site(services, addresses: addresses)
        let uploads = [
            AudioAPI.filePath: Int(ClipDraft.largestFile) + 1 << 20,
            DriveAPI.filePath: Int(ShadowDriveLimits.fileBytes) + 1 << 20,
        ]
        let operations = Operations(services, log: log)
        self.operations = operations
        let watch = operations.watch
        metrics = try metricsPort.map { try MetricsServer(operations, port: $0) }
        server = try HTTPServer.listening(.init(host: host, port: port, maxBodyBytesByPath: uploads)) { port in
            // The gate knows the server's own addresses, which contain the port.
            let gate = Gate(
                host: host, port: port, token: secret, addresses: addresses, origins: origins, users: house?.access)
            return HTTPServer.Answers(
                gate: { request in
                    let admission = Self.admission(of: request, gate)
                    guard case .refused(let refusal) = admission else { return admission }
                    return .refused(watch.refused(request, refusal))
                },
                handler: { await watch.answer($0) { await Self.answer($0, site, operations, house) } })
        }
        // A browser cannot open the address that stands for all addresses.
        let address = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        runner = site.hub.runner
        // With several users each has an outbox alone.
        if house == nil {
            runner.start()
            site.hub.follow(SystemConnectionMonitor())
        }
        following = house.map { house in Task { await house.run() } }
        keptClips = site.hub.keptClips
        keptClips.start()
        link = "http://\(address.asURLHost):\(server.port)/" + (secret.map { "#token=\($0)" } ?? "")
    }

    /// Ends in an orderly way. First `/readyz` says that no new requests are wanted, and all requests are answered for `grace`, so that
    /// load balancers notice. Then nothing new is accepted, requests under way are finished, event streams are ended (their pages
    /// connect elsewhere), and the outbox begins no further item. Work that takes longer than ten seconds more is cut; an item of the
    /// outbox that is cut stays in the queue, with its key.
    public func drain(grace: Duration) async {
        operations.drain.announce()
        operations.log.note(LogLine("draining", sentence: "draining: no new requests are wanted"))
        // It ends early only if the caller's task is cancelled.
        if grace > .zero { try? await Task.sleep(for: grace) }
        async let sent: Void = runner.finish(within: Self.patience)
        operations.drain.endStreams()
        await server.stop(grace: Self.patience)
        await sent
        await stop()
    }

    /// The longest that requests and items under way are waited for.
    private static let patience = Duration.seconds(10)

    /// Stops the server. It accepts no new connections, and gives open ones two seconds to finish.
    public func stop() async {
        operations.drain.endStreams()
        following?.cancel()
        await following?.value
        await house?.rooms.stop()
        await keptClips.stop()
        await runner.stop()
        await server.stop(grace: .seconds(2))
        await metrics?.stop()
        operations.log.note(LogLine("stopped"))
        await operations.log.end()
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
        return gate.refusalOfStranger(request).map { .refused($0.hardened()) } ?? .known
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
        if let house { return await house.answer(request).hardened() }
        return await site.api(request).hardened()
    }
}
