import Aquifer
import AquiferFoundation
import Observation

/// What the operations of a list say, as far as it is known: a sentence with places for the values. Sentences are the remote's own,
/// never made up.
///
/// - The remote is asked only for operations that somebody looks at, for four at once, and for each of them once in seven days.
/// - After a failure it is not asked until the list is loaded again or a connection is back. An operation whose answer is no sentence is left out until then.
@MainActor @Observable
public final class FoaasSentences {
    /// The most sentences that are asked for at once.
    static let width = 4

    /// The sentences that are known.
    public private(set) var known: [FoaasOperation.ID: FoaasTemplate] = [:]

    @ObservationIgnored private let service: FoaasService
    /// The operations whose saved sentences were looked for.
    @ObservationIgnored private var sought: Set<FoaasOperation.ID> = []
    /// The operations that somebody looks at, in their order.
    @ObservationIgnored private var visible: [FoaasOperation] = []
    /// The operations that are being asked for, or whose answer is no sentence.
    @ObservationIgnored private var busy: Set<FoaasOperation.ID> = []
    private var refused: Set<FoaasOperation.ID> = []
    /// True if the remote has failed.
    private var isResting = false
    /// The places of those that are asked for at once. A request of somebody who has left may keep its place for a moment.
    @ObservationIgnored private let places: [LoadTurn]

    init(_ service: FoaasService) {
        self.service = service
        places = (0..<Self.width).map { _ in LoadTurn() }
    }

    /// True if the sentence is not known, and comes as soon as somebody looks at it, unless the remote fails.
    func awaits(_ id: FoaasOperation.ID) -> Bool {
        known[id] == nil && !isResting && !refused.contains(id)
    }

    /// Shows the saved sentences of these operations. The remote is not asked.
    func showSaved(_ operations: [FoaasOperation]) async {
        for operation in operations where sought.insert(operation.id).inserted {
            guard let template = await service.savedTemplate(of: operation) else { continue }
            known[operation.id] = template
        }
    }

    /// Somebody looks at these operations, and at no others any more. Returns when all that can be loaded for them is.
    func look(at operations: [FoaasOperation]) async {
        visible = operations
        await showSaved(operations)
        await withTaskGroup(of: Void.self) { group in
            for place in places { group.addTask { await self.work(at: place) } }
        }
    }

    /// Asks again for what could not be loaded, if somebody looks at it.
    func askAgain() async {
        (isResting, refused) = (false, [])
        await look(at: visible)
    }

    /// Loads as ``work()`` does, unless that is being done at this place; then only if it ends because its user has left.
    private func work(at place: LoadTurn) async {
        await place.run {
            await work()
            return Task.isCancelled
        }
    }

    /// Loads one sentence after the other, until none is left that somebody looks at.
    private func work() async {
        while !Task.isCancelled, !isResting,
            let next = visible.first(where: { known[$0.id] == nil && !busy.contains($0.id) && !refused.contains($0.id) }
            )
        {
            busy.insert(next.id)
            do throws(FoaasError) {
                known[next.id] = try await service.template(of: next)
            } catch {
                note(error, of: next)
            }
            busy.remove(next.id)
        }
    }

    private func note(_ error: FoaasError, of operation: FoaasOperation) {
        switch error {
        case .load(.cancelled): break
        case .load(.invalidData(.body)), .load(.invalidData(.mediaType)), .path: refused.insert(operation.id)
        // The others would fail as this one did; and a remote that is asked too often is not asked more often.
        case .load: isResting = true
        }
    }
}
