import Aquifer
import AquiferFoundation
import Observation

/// The preview of one operation: its phrase, filled in as somebody types.
///
/// The remote is asked at most once, for the template, and not at all if it was asked in the last seven days. After a failure
/// only ``retry()`` asks again. A favorite needs no connection.
@MainActor @Observable
public final class FoaasPreviewModel {
    /// The state of the screen.
    public enum Phase: Sendable, Hashable {
        /// The operation or the template is being asked for.
        case loading
        /// The phrase follows the typing.
        case ready
        /// The phrase could not be loaded. Fields can be filled in all the same.
        case failed(FoaasError)
        /// There is no such operation.
        case missing
    }

    /// The state of the screen.
    public private(set) var phase = Phase.loading
    /// The operation with its filled-in values; `nil` until it is found.
    public private(set) var builder: FoaasPathBuilder?
    /// The reason why the last text typed was not taken.
    public private(set) var problem: FoaasPathError?
    /// True if the phrase has been handed to the main screen.
    public private(set) var isDone = false

    /// The phrase of the operation with the values filled in so far, unfiltered.
    public var phrase: Foaas? { phrase { $0.name(of: $1) } }

    /// ``phrase`` with other names for the places that are not filled in.
    public func phrase(names: (FoaasOperation, _ placeholder: String) -> String) -> Foaas? {
        guard let template, let builder else { return nil }
        return template.phrase({ builder[$0] }, name: { names(builder.operation, $0) })
    }

    /// True if the phrase can be handed on: it is loaded, every field is filled, and the last text typed was taken.
    public var canFinish: Bool {
        guard phase == .ready, let builder, problem == nil else { return false }
        return builder.isComplete
    }

    private var template: FoaasTemplate?
    @ObservationIgnored private let service: FoaasService
    @ObservationIgnored private let center: NotificationCenter
    @ObservationIgnored private let id: FoaasOperation.ID
    @ObservationIgnored private let turn = LoadTurn()

    /// The preview of the operation with this url.
    public init(_ service: FoaasService, operation id: FoaasOperation.ID, center: NotificationCenter = .default) {
        self.service = service
        self.center = center
        self.id = id
    }

    /// The screen is visible: loads, unless it has. A preview whose phrase was handed on begins anew.
    public func appear() async {
        isDone = false
        if template == nil, phase == .loading { await load() }
    }

    /// Loads again after a failure.
    public func retry() async {
        guard case .failed = phase else { return }
        await load()
    }

    /// Fills a field in, or clears it. A text too long to be sent is not taken.
    public func edit(_ placeholder: String, _ value: String) {
        guard var changed = builder else { return }
        do throws(FoaasPathError) {
            try changed.set(value, for: placeholder)
            guard changed.path.utf8.count <= FoaasPathBuilder.longest else {
                throw .tooLong(limit: FoaasPathBuilder.longest)
            }
            builder = changed
            problem = nil
        } catch { problem = error }
    }

    /// Hands the phrase to the main screen, if every field is filled.
    public func finish() async {
        guard canFinish, let phrase, let operation = builder?.operation else { return }
        center.post(phrase, of: operation)
        isDone = true
        await service.remember(phrase, of: operation)
    }

    /// The user has read the problem.
    public func dismissProblem() { problem = nil }

    private func load() async {
        await turn.run {
            phase = .loading
            do throws(FoaasError) {
                guard let operation = try await operation() else {
                    phase = .missing
                    return false
                }
                if builder == nil { builder = FoaasPathBuilder(operation) }
                template = try await service.template(of: operation)
                phase = .ready
            } catch .load(.cancelled) {
                // Nobody saw this load end: the next appearance is a first one again.
                phase = .loading
                return true
            } catch {
                if await !showFavorite() { phase = .failed(error) }
            }
            return false
        }
    }

    /// Shows what a favorite keeps of the operation. Returns false if it is no favorite whose sentence is known.
    private func showFavorite() async -> Bool {
        // Favorites that cannot be read are no help here; the error of the load is shown.
        guard let favorite = try? await service.favorites.all().first(where: { $0.id == id }),
            let kept = favorite.template
        else { return false }
        if builder == nil { builder = FoaasPathBuilder(favorite.operation) }
        template = kept
        phase = .ready
        return true
    }

    private func operation() async throws(FoaasError) -> FoaasOperation? {
        if let builder { return builder.operation }
        do throws(LoadError) {
            return try await service.knownOperations().operations.first { $0.id == id }
        } catch { throw .load(error) }
    }
}
