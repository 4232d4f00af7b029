import Foundation
import HTTPServer
import ReferenceAPIs

/// The connection, and the simulator of another one: the faults of the reference remotes, and the outcomes of their transfers.
struct ConnectionAPI: Sendable {
    let hub: ScreenHub
    let services: Services

    /// The modes of the switch. It omits the cut body, which is for tests: to a user it looks like being offline.
    private static let modes: [Fault] = [.none, .offline, .slow, .failing, .garbage]

    func add(to router: inout Router) {
        router.on("GET", "/api/connection") { _, _ in await state() }
        router.on("PUT", "/api/connection") { request, _ in await change(request) }
        router.on("GET", "/api/reference/transfers") { _, _ in transfers() }
    }

    /// True if several users share the remotes: then no one user turns them off, or is told what the others ask of them.
    private var isShared: Bool { services.user != nil }

    private static let shared = ServerResponse.problem(
        403, "shared", "the reference remotes are for all users of this server, and only its operator switches them")

    private static let switchedOff = ServerResponse.problem(
        403, "noSimulator", "this server was started with --no-simulator")

    /// The state of the connection, and of the switch that simulates another one.
    struct Switch: Codable, Sendable {
        /// False if there is no switch: no app uses a reference remote, several users share them, or the operator has turned it off.
        let available: Bool
        /// The fault of the reference remotes; without them `online` or `offline` as this machine's network is, or `unknown`.
        let mode: String
        /// The modes that the switch offers.
        let modes: [String]
    }

    private var remotes: [ReferenceRemote] { ReferenceRemote.allCases.filter { services.usesReference($0) } }

    private func state() async -> ServerResponse {
        let isOffered = !isShared && services.configuration.offersSimulator && !remotes.isEmpty
        return .json(
            Switch(available: isOffered, mode: await mode, modes: isOffered ? Self.modes.map(\.rawValue) : []))
    }

    private var mode: String {
        get async {
            if services.configuration.offline { return Fault.offline.rawValue }
            // They are in this process, and need no network.
            if let remote = remotes.first { return (services.reference.faults[remote] ?? .none).rawValue }
            return switch await hub.network.state {
            case .connected: Fault.none.rawValue
            case .notConnected: Fault.offline.rawValue
            case .unknown: "unknown"
            }
        }
    }

    private func change(_ request: ServerRequest) async -> ServerResponse {
        if isShared { return Self.shared }
        if !services.configuration.offersSimulator { return Self.switchedOff }
        // The answer to every invalid body is the same: it describes the valid one.
        guard let body = try? await request.body.collect(upTo: 4096),
            let fault = (try? JSONDecoder().decode([String: String].self, from: body)["mode"]).flatMap(Fault.init)
        else {
            let names = Fault.forms.joined(separator: ", ")
            return .problem(400, "mode", "send {\"mode\": …}, one of \(names)")
        }
        for remote in ReferenceRemote.allCases where services.usesReference(remote) {
            services.reference.set(fault, of: remote)
        }
        // Items that wait only because there was no answer are tried again at once.
        if fault == .none {
            await services.outbox.connectionRestored()
            await hub.connectionRestored()
        }
        return await state()
    }

    /// The transfers of a remote.
    struct Transfers: Encodable {
        let active: Int
        let completed: Int
        let cut: Int
        /// The number of bytes sent of each file, by its path.
        let bytes: [String: UInt64]
        /// The last requests, the oldest first.
        let requests: [Request]
    }

    struct Request: Codable, Sendable {
        let method: String
        let path: String
        @OrNull var range: String?
        @OrNull var status: Int?
        let bytes: UInt64
    }

    private func transfers() -> ServerResponse {
        if isShared { return Self.shared }
        return .json(
            Dictionary(
                uniqueKeysWithValues: ReferenceRemote.allCases.map { ($0.rawValue, transfers(of: $0)) }))
    }

    private func transfers(of remote: ReferenceRemote) -> Transfers {
        let counts = services.reference.transfers(of: remote)
        return Transfers(
            active: counts.active, completed: counts.completed, cut: counts.cut,
            bytes: services.reference.bytesSent(of: remote),
            requests: services.reference.requests(of: remote).map { request in
                Request(
                    method: request.method, path: request.path, range: request.range, status: request.status,
                    bytes: request.bytes)
            })
    }
}
