import Aquifer
import AquiferFoundation
import Observation

/// The preview of one operation: its phrase, filled in as somebody types.
///
/// The remote is asked at most once, for the template. After a failure only ``retry()`` asks again.
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
    public var phrase: Foaas? {
        guard let template, let builder else { return nil }
        return template.phrase({ builder[$0] }, name: { builder.operation.name(of: $0) })
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
    @ObservationIgnored private var isLoading = false

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
        guard canFinish, let phrase else { return }
        center.post(phrase)
        isDone = true
        await service.remember(phrase)
    }

    /// The user has read the problem.
    public func dismissProblem() { problem = nil }

    private func load() async {
        guard !isLoading else { return }
        isLoading = true
        phase = .loading
        defer { isLoading = false }
        do throws(FoaasError) {
            guard let operation = try await operation() else { return phase = .missing }
            if builder == nil { builder = FoaasPathBuilder(operation) }
            template = try await service.template(of: operation)
            phase = .ready
        } catch {
            // Nobody saw this load end: the next appearance is a first one again.
            phase = error == .load(.cancelled) ? .loading : .failed(error)
        }
    }

    private func operation() async throws(FoaasError) -> FoaasOperation? {
        if let builder { return builder.operation }
        do throws(LoadError) {
            return try await service.knownOperations().operations.first { $0.id == id }
        } catch { throw .load(error) }
    }
}
