import AudioFeed
import Foundation
import HTTPServer
import ShadowDrive

/// The product in a browser: pages, their API, and the gate before both.
public final class WebServer: Sendable {
    /// The address to open, with the token in it.
    public let link: String
    /// The port that is listened on.
    public var port: UInt16 { server.port }
    private let server: HTTPServer
    private let runner: OutboxRunner

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - token: whether the API wants a token, made anew for each run.
    /// - Throws: ``ServerError`` when the address cannot be listened on.
    @MainActor
    public init(_ services: Services, host: String = "127.0.0.1", port: UInt16 = 8080, token: Bool = true) throws {
        let secret = token ? Gate.randomToken() : nil
        let site = Site(services)
        let gate = LateGate()
        let uploads = [
            AudioAPI.filePath: Int(ClipDraft.largestFile) + 1 << 20,
            DriveAPI.filePath: Int(ShadowDriveLimits.fileBytes) + 1 << 20,
        ]
        server = try HTTPServer(.init(host: host, port: port, maxBodyBytesByPath: uploads)) { request in
            await Self.answer(request, gate.wait(), site)
        }
        gate.open(Gate(host: host, port: server.port, token: secret))
        // The address of all addresses is none that a browser can open.
        let address = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        let name = address.contains(":") ? "[\(address)]" : address
        runner = site.hub.runner
        runner.start()
        link = "http://\(name):\(server.port)/" + (secret.map { "?token=\($0)" } ?? "")
    }

    /// Stops: nobody new is let in, and who is in has a moment to finish.
    public func stop() async {
        await runner.stop()
        await server.stop(grace: .seconds(2))
    }

    static func answer(_ request: ServerRequest, _ gate: Gate, _ site: Site) async -> ServerResponse {
        if let refusal = gate.refusal(request) { return refusal.hardened() }
        guard request.path.hasPrefix("/api/") else {
            return (gate.welcome(request) ?? site.page(request)).hardened()
        }
        guard gate.admits(request) else {
            return ServerResponse.problem(401, "token", "open the link that aquifer serve printed").hardened()
        }
        return await site.api(request).hardened()
    }
}

/// The gate names the port, which is known only once the server listens: who comes in between waits.
private final class LateGate: Sendable {
    private let condition = NSCondition()
    nonisolated(unsafe) private var gate: Gate?

    func open(_ gate: Gate) {
        condition.lock()
        self.gate = gate
        condition.broadcast()
        condition.unlock()
    }

    func wait() -> Gate {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let gate { return gate }
            condition.wait()
        }
    }
}
