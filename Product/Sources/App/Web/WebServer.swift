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
    private let server: HTTPServer
    private let runner: OutboxRunner
    private let keptClips: KeptClipsRunner
    private let house: UserHouse?
    private let following: Task<Void, Never>?

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - token: True if the API requires a token. The token is stored with the data, so that it stays the same.
    ///   - users: The users, each of whom has tokens and data alone; `nil` if there is one user only.
    ///   - quota: The most bytes that each user keeps.
    /// - Throws: ``ServerError`` when the server cannot listen on the address; ``UsersError`` when the users cannot be read.
    @MainActor
    public init(
        _ services: Services, host: String = "127.0.0.1", port: UInt16 = 8080, token: Bool = true,
        users: UsersFile? = nil, quota: UInt64? = nil
    ) throws {
        let secret = token && users == nil ? AccessToken.kept(in: services.configuration.data) : nil
        let house = try users.map { try UserHouse(services, $0, bound: quota ?? UserQuota.usual) }
        self.house = house
        let addresses = SignedAddresses(token: secret, now: services.configuration.now)
        let site = Site(services, addresses: addresses)
        let uploads = [
            AudioAPI.filePath: Int(ClipDraft.largestFile) + 1 << 20,
            DriveAPI.filePath: Int(ShadowDriveLimits.fileBytes) + 1 << 20,
        ]
        server = try HTTPServer.listening(.init(host: host, port: port, maxBodyBytesByPath: uploads)) { port in
            // The gate knows the server's own addresses, which contain the port.
            let gate = Gate(host: host, port: port, token: secret, addresses: addresses, users: house?.access)
            return HTTPServer.Answers(
                gate: { Self.admission(of: $0, gate) }, handler: { await Self.answer($0, site, house) })
        }
        // A browser cannot open the address that stands for all addresses.
        let address = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        runner = site.hub.runner
        // With several users each has an outbox alone.
        if house == nil { runner.start() }
        following = house.map { house in Task { await house.run() } }
        keptClips = site.hub.keptClips
        keptClips.start()
        link = "http://\(address.asURLHost):\(server.port)/" + (secret.map { "#token=\($0)" } ?? "")
    }

    /// Stops the server. It accepts no new connections, and gives open ones two seconds to finish.
    public func stop() async {
        following?.cancel()
        await following?.value
        await house?.rooms.stop()
        await keptClips.stop()
        await runner.stop()
        await server.stop(grace: .seconds(2))
    }

    /// Decides about a request by its head, so that no part of the body of a refused request is read.
    static func admission(of request: ServerRequest, _ gate: Gate) -> ServerAdmission {
        if let refusal = gate.refusal(request) { return .refused(refusal.hardened()) }
        guard request.path.hasPrefix("/api/") else {
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
    static func answer(_ request: ServerRequest, _ site: Site, _ house: UserHouse? = nil) async -> ServerResponse {
        guard request.path.hasPrefix("/api/") else { return site.page(request).hardened() }
        if let house { return await house.answer(request).hardened() }
        return await site.api(request).hardened()
    }
}
