import Aquifer
import AquiferConcurrency

/// The requests of a store, and its words for what became of them.
extension PostgresStore {
    /// The answers of statements that only read.
    func ask(_ steps: [Request.Step], to operation: String) async throws(StoreError) -> [Rows] {
        switch await outcome(steps, writes: false) {
        case .rows(let rows): return rows
        case .refused(let failure): throw failure.error(operation, place)
        case .unreachable(let failure), .uncertain(let failure): throw unreachable(operation, failure)
        case .written: throw .failed(operation: operation, reason: "\(place): an answer to another question")
        }
    }

    /// Makes a change; true if there was something to change.
    ///
    /// - Parameter insertion: the write, if others may be made in one step with it.
    func change(
        _ steps: [Request.Step], _ operation: String, insertion: Insertion? = nil
    ) async throws(StoreError) -> Bool {
        try await change(request(steps, writes: true, insertion: insertion), operation)
    }

    /// The same. The answers of the request may be read after that, unless they were lost.
    func change(_ request: Request, _ operation: String) async throws(StoreError) -> Bool {
        switch await outcome(of: request) {
        case .written(let hit): return hit
        case .refused(let failure): throw failure.error(operation, place)
        case .unreachable(let failure): throw unreachable(operation, failure)
        case .uncertain(let failure): throw .uncertain(operation: operation, reason: "\(place): \(failure.message)")
        case .rows: throw .failed(operation: operation, reason: "\(place): an answer to another question")
        }
    }

    private func unreachable(_ operation: String, _ failure: ServerFailure) -> StoreError {
        failure.state.isEmpty
            ? .failed(operation: operation, reason: "\(place) cannot be reached: \(failure.message)")
            : failure.error(operation, place)
    }

    func outcome(
        _ steps: [Request.Step], writes: Bool, insertion: Insertion? = nil
    ) async -> Request.Outcome {
        await outcome(of: request(steps, writes: writes, insertion: insertion))
    }

    /// A request that waits for this store's patience.
    func request(_ steps: [Request.Step], writes: Bool, insertion: Insertion? = nil) -> Request {
        Request(steps, writes: writes, deadline: .now + patience, insertion: insertion)
    }

    /// Carries a request out. Its number of attempts may be read after that.
    func outcome(of request: Request) async -> Request.Outcome {
        owner.loop.carryOut(request)
        return await request.end.get()
    }
}
