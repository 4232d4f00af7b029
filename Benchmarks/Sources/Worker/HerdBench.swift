import Aquifer
import AquiferPostgres
import Foundation
import Synchronization

/// One load by three machines with a thousand callers each, with leases and without. A machine is a store of its own.
final class HerdBench {
    private let address: String
    private var runs = 0

    init(_ address: String) async throws { self.address = address }

    /// Returns the time of the slowest of a hundred callers, the median, and the number of requests at the remote.
    func run(_ way: String, _ remoteTime: Duration) async throws -> [Double] {
        runs += 1
        let (key, requests) = ("herd \(runs)", Counter())
        var machines: [Resource<[String]>] = []
        for _ in 0..<3 {
            let store = try await PostgresStore(address, hasLeases: way == "leases")
            // A connection is there: the first call of a process is not measured.
            _ = try await store.retrieve("none")
            let remote = RemoteLoader<[String]> { (_: Validators) async throws(LoadError) -> RemoteAnswer<[String]> in
                requests.add()
                do { try await Task.sleep(for: remoteTime) } catch { throw .cancelled }
                return .value(["shared"], .none)
            }
            machines.append(Resource(remote: remote, cache: Cache(key: key, in: store)))
        }
        var times = try await withThrowingTaskGroup(of: Duration.self) { group in
            let start = ContinuousClock.now
            for machine in machines {
                for _ in 0..<1_000 {
                    group.addTask {
                        guard try await machine.load().value == ["shared"] else { throw Bench.Unknown(words: ["herd"]) }
                        return ContinuousClock.now - start
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        times.sort()
        return [
            times[times.count * 99 / 100] / .seconds(1), times[times.count / 2] / .seconds(1), Double(requests.count),
        ]
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .sequentiallyConsistent) }
        func add() { value.add(1, ordering: .sequentiallyConsistent) }
    }
}
