import Aquifer
import AquiferTesting
import Foundation

/// A server that takes each user's notes once, by their keys, and has a page for each user.
final class UsersServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    private var keys: Set<String> = []
    /// The notes in the order in which they came.
    private(set) var taken: [String] = []
    private var pages = 0

    init(_ world: Simulation) { self.world = world }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .seconds(2)))
        if request.method == .get {
            pages += 1
            let words = request.url.path.split(separator: "/").suffix(2).joined(separator: "|")
            return .init(headers: ["Content-Type": "text/plain"], body: Data("\(words)|\(pages)".utf8))
        }
        guard request.method == .post, let key = request.headers["Idempotency-Key"] else { return .init(status: 405) }
        if keys.insert(key).inserted {
            taken.append(String(decoding: request.body, as: UTF8.self))
            world.note("takes \(taken.last ?? "")")
        }
        return .init(status: 201, body: Data("noted".utf8))
    }
}
