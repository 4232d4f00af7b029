import Foundation
import HTTPServer
import ReferenceAPIs

/// The connection switch: the faults of the reference remotes, and the outcomes of their transfers.
struct ConnectionAPI: Sendable {
    let hub: ScreenHub
    let services: Services

    /// The modes of the switch. It omits the cut body, which is for tests: to a user it looks like being offline.
    private static let modes: [Fault] = [.none, .offline, .slow, .failing, .garbage]

    func add(to router: inout Router) {
        router.on("GET", "/api/connection") { _, _ in state() }
        router.on("PUT", "/api/connection") { request, _ in await change(request) }
        router.on("GET", "/api/reference/transfers") { _, _ in transfers() }
    }

    /// True if several users share the remotes: then no one user turns them off, or is told what the others ask of them.
    private var isShared: Bool { services.user != nil }

    private static let shared = ServerResponse.problem(
        403, "shared", "the reference remotes are for all users of this server, and only its operator switches them")

    /// The state of the switch.
    struct Switch: Codable, Sendable {
        /// False if no app uses a reference remote.
        let available: Bool
        let mode: String
        /// The modes that the switch offers.
        let modes: [String]
    }

    private func state() -> ServerResponse {
        let remotes = ReferenceRemote.allCases.filter { services.usesReference($0) }
        if isShared { return .json(Switch(available: false, mode: Fault.none.rawValue, modes: [])) }
        let mode = remotes.first.flatMap { services.reference.faults[$0] } ?? .none
        return .json(
            Switch(available: !remotes.isEmpty, mode: mode.rawValue, modes: Self.modes.map(\.rawValue)))
    }

    private func change(_ request: ServerRequest) async -> ServerResponse {
        if isShared { return Self.shared }
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
        return state()
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
