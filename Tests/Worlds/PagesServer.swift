import Aquifer
import AquiferTesting
import Foundation

/// A server of pages, which change from time to time. It knows when each version was the latest.
final class PagesServer: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private let world: Simulation
    /// For each page, when each version became the latest: version 0 from the beginning on.
    private(set) var versions: [String: [Date]] = [:]
    /// The dates of the first and the last answer with each version of each page, in whole seconds, as in an answer.
    private var answered: [String: [Int: (first: Int, last: Int)]] = [:]

    init(_ world: Simulation, pages: [String]) {
        self.world = world
        for page in pages { versions[page] = [world.date] }
    }

    /// Gives a page a new version.
    func change(_ page: String) {
        versions[page]?.append(world.date)
        world.note("\(page) has version \((versions[page]?.count ?? 0) - 1)")
    }

    /// True if the dates of all answers tell that one version of a page is older than another one.
    func datesTell(_ old: Int, from new: Int, of page: String) -> Bool {
        guard let old = answered[page]?[old], let new = answered[page]?[new] else { return true }
        return old.last < new.first
    }

    /// Notes that a version is being told now.
    func hasAnswered(_ page: String, _ version: Int) {
        let second = Int(world.date.timeIntervalSince1970)
        answered[page, default: [:]][version, default: (second, second)].last = second
    }

    func answer(_ request: SimulatedNetwork.Request) async -> SimulatedNetwork.Answer {
        try? await world.clock.sleep(for: world.random.duration(in: .microseconds(10) ... .milliseconds(50)))
        let page = request.url.lastPathComponent
        guard let version = versions[page].map({ $0.count - 1 }) else { return .init(status: 404) }
        hasAnswered(page, version)
        let etag = "\"\(page)-\(version)\""
        if request.headers["If-None-Match"] == etag { return .init(status: 304, headers: ["ETag": etag]) }
        return .init(
            headers: ["ETag": etag, "Content-Type": "text/plain"], body: Data(PagesJudge.text(page, version).utf8))
    }
}
