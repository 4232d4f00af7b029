import Foundation
import HTTPServer
import ReferenceAPIs

/// The connection switch: the faults of the reference remotes, and the outcomes of their transfers.
struct ConnectionAPI: Sendable {
    let services: Services

    /// The modes of the switch. It omits the cut body, which is for tests: to a user it looks like being offline.
    private static let modes: [Fault] = [.none, .offline, .slow, .failing, .garbage]

    func add(to router: inout Router) {
        router.on("GET", "/api/connection") { _, _ in state() }
        router.on("PUT", "/api/connection") { request, _ in await change(request) }
        router.on("GET", "/api/reference/transfers") { _, _ in transfers() }
    }

    private func state() -> ServerResponse {
        let remotes = ReferenceRemote.allCases.filter { services.usesReference($0) }
        let mode = remotes.first.flatMap { services.reference.faults[$0] } ?? .none
        return .json(
            .object([
                ("available", .bool(!remotes.isEmpty)),
                ("mode", .string(mode.rawValue)),
                ("modes", .array(Self.modes.map { .string($0.rawValue) })),
            ]))
    }

    private func change(_ request: ServerRequest) async -> ServerResponse {
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
        // Outbox items that wait only because there was no answer are tried again at once.
        if fault == .none { await services.outbox.prod() }
        return state()
    }

    private func transfers() -> ServerResponse {
        .json(
            .object(
                ReferenceRemote.allCases.map { remote in
                    let counts = services.reference.transfers(of: remote)
                    return (
                        remote.rawValue,
                        .object([
                            ("active", .int(counts.active)), ("completed", .int(counts.completed)),
                            ("cut", .int(counts.cut)), ("bytes", bytes(of: remote)), ("requests", requests(of: remote)),
                        ])
                    )
                }))
    }

    /// The number of bytes sent of each file, by its path.
    private func bytes(of remote: ReferenceRemote) -> JSONText {
        .object(
            services.reference.bytesSent(of: remote).sorted { $0.key < $1.key }
                .map { ($0.key, .raw("\($0.value)")) })
    }

    /// The last requests, the oldest first.
    private func requests(of remote: ReferenceRemote) -> JSONText {
        .array(
            services.reference.requests(of: remote).map { request in
                .object([
                    ("method", .string(request.method)), ("path", .string(request.path)),
                    ("range", .string(request.range)), ("status", request.status.map { .int($0) } ?? .null),
                    ("bytes", .raw("\(request.bytes)")),
                ])
            })
    }
}
