import Aquifer
import AquiferPostgres
import AquiferTesting
import Foundation

/// A queue in PostgreSQL, emptied by several senders with a store of their own each, 16 items at the same time by each of them. The remote
/// takes each item at once.
final class SenderBench {
    private let address: String
    private var runs = 0

    init(_ address: String) { self.address = address }

    /// The seconds of one item; and those that it had of a core, in this process and in the server.
    func run(senders: Int, items: Int) async throws -> [Double] {
        runs += 1
        let schema = "queue_\(ProcessInfo.processInfo.processIdentifier)_\(runs)"
        let client = ScriptedHTTPClient { _ in .answer(status: 201) }
        let filler = Outbox(in: try await PostgresStore(address, schema: schema), client: client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<16 {
                group.addTask {
                    for number in 0..<(items / 16) {
                        let body = Data("\(part) \(number)".utf8)
                        let request = HTTPRequest(
                            .post, URL(string: "http://server.example/notes")!, body: .bytes(body))
                        // As many groups as users: items of one are sent in order, those of several side by side.
                        try await filler.enqueue(request, group: "g\(part * 16 + number % 16)")
                    }
                }
            }
            try await group.waitForAll()
        }
        var outboxes: [Outbox] = []
        for _ in 0..<senders {
            let store = try await PostgresStore(address, schema: schema)
            outboxes.append(Outbox(in: store, client: client, policy: SendPolicy(width: 16)))
        }
        let port = URL(string: address)?.port ?? 0
        let before = (own: ProcessorTime.own, server: ProcessorTime.server(port: port))
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for outbox in outboxes { group.addTask { _ = try await outbox.drainToEnd() } }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let (own, server) = (
            ProcessorTime.own - before.own, ProcessorTime.server(port: port) - before.server
        )
        guard try await filler.items().isEmpty, client.requests.count == items / 16 * 16 else {
            throw Bench.Unknown(words: ["sent \(client.requests.count) of \(items)"])
        }
        return [seconds, own, server].map { $0 / Double(items / 16 * 16) }
    }
}
