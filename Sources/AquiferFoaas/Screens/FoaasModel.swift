import Aquifer
import AquiferFoundation
import Observation

/// The main screen: one phrase. It asks for another when told to, and shows the phrase that the preview has made.
@MainActor @Observable
public final class FoaasModel {
    /// The phrase, unfiltered.
    public private(set) var phrase: Foaas?
    /// The operation of the phrase, if it is known.
    public private(set) var operation: FoaasOperation?
    /// The operations of the phrases shown so far, the latest last, and of the phrase that is shown.
    @ObservationIgnored private var shown: [FoaasOperation] = []
    /// True if the phrase is one seen before, shown because there is no connection.
    public private(set) var isSaved = false
    /// True if a phrase is being asked for.
    public private(set) var isLoading = false
    /// The reason why there is no new phrase, until it is dismissed.
    public private(set) var error: FoaasError?
    /// The last phrases seen: offered when there is no connection.
    public private(set) var lastSeen: [SeenPhrase] = []

    @ObservationIgnored private let service: FoaasService
    @ObservationIgnored private var observation: FoaasObservation?
    @ObservationIgnored private var request = 0
    @ObservationIgnored private let turn = LoadTurn()

    /// The main screen of a service, told of phrases by `center`.
    public init(_ service: FoaasService, center: NotificationCenter = .default) {
        self.service = service
        observation = center.observePhrases { [weak self] in self?.show($0, of: $1) }
    }

    /// The screen is visible: asks for a phrase, if there is none.
    public func appear() async {
        guard phrase == nil else { return }
        await random()
    }

    /// Asks for a phrase. While one is being asked for, it waits for that one, and asks only if who asked first has left.
    public func random() async {
        await turn.run {
            isLoading = true
            defer { isLoading = false }
            error = nil
            request += 1
            let mine = request
            do throws(FoaasError) {
                let drawn = try await service.drawPhrase()
                // A phrase that the preview has made meanwhile stays: the user asked for it by name.
                if mine == request { set(drawn.phrase, of: drawn.operation, isSaved: false) }
            } catch {
                if mine == request { await fail(error) }
                return error == .load(.cancelled) && phrase == nil
            }
            return false
        }
    }

    /// Shows one of the last phrases.
    public func show(_ id: SeenPhrase.ID) {
        guard let seen = lastSeen.first(where: { $0.id == id }) else { return }
        set(seen.phrase, of: seen.operation, isSaved: true)
    }

    /// The operation with this id, if a phrase of it is shown, or was one of the last: a user may act on a phrase in the moment in
    /// which another takes its place.
    public func operation(_ id: FoaasOperation.ID) -> FoaasOperation? { shown.last { $0.id == id } }

    /// The user has read the error.
    public func dismissError() { error = nil }

    /// The number of operations that are remembered for ``operation(_:)``.
    private static let mostShown = 16

    private func show(_ phrase: Foaas, of operation: FoaasOperation?) {
        request += 1
        set(phrase, of: operation, isSaved: false)
        error = nil
    }

    private func set(_ phrase: Foaas, of operation: FoaasOperation?, isSaved: Bool) {
        self.phrase = phrase
        self.operation = operation
        if let operation { shown = (shown + [operation]).suffix(Self.mostShown) }
        self.isSaved = isSaved
        if !isSaved { lastSeen = [] }
    }

    private func fail(_ error: FoaasError) async {
        guard error != .load(.cancelled) else { return }
        self.error = error
        // The error is shown even if those cannot be read.
        lastSeen = (try? await service.seen.all()) ?? []
    }
}
