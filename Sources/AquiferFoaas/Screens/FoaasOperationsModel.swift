import Aquifer
import AquiferFoundation
import Observation

/// The screen of the operations: the list, and the search in it.
@MainActor @Observable
public final class FoaasOperationsModel {
    /// The list's state.
    public let list: ResourceModel<FoaasOperations>
    /// The text that is searched for.
    public private(set) var query = ""

    /// What the operations say, as far as it is known.
    public let sentences: FoaasSentences
    /// The user's favorites.
    public let favorites: FoaasFavorites
    /// The operations that are shown of all.
    public private(set) var filter = Filter.all

    /// The operations that are shown of all.
    public enum Filter: String, Sendable, Hashable, Codable, CaseIterable {
        /// All of them, in the remote's order.
        case all
        /// The favorites, the latest first. They need no connection. One that is taken back stays in sight until the user leaves.
        case favorites
    }

    /// The operations of the filter that match the search.
    public var operations: [FoaasOperation] {
        let wanted = SearchText(query)
        return candidates.filter { $0.matches(query) || wanted.isIn(texts(of: $0)) }
    }
    /// The number of operations that could not be read.
    public var skipped: Int { list.value?.skipped ?? 0 }
    /// True if a load has shown that there are no operations at all.
    public var isEmpty: Bool { list.value?.operations.isEmpty == true && !list.isLoading }
    /// True if there are operations, and none of them matches.
    public var hasNoMatch: Bool { !candidates.isEmpty && operations.isEmpty }

    /// The favorites that were taken back in the list of favorites.
    private var takenBack: [FavoritePhrase] = []
    @ObservationIgnored private let service: FoaasService
    @ObservationIgnored private var observation: FoaasObservation?

    /// The screen of a service's operations.
    ///
    /// - Parameters:
    ///   - service: has the operations, and what they say.
    ///   - favorites: the favorites that other screens show, too; by default, this screen's own look at them.
    ///   - center: tells when the operations that the app starts with are known: a list that could not be loaded before is then
    ///     loaded.
    public init(
        _ service: FoaasService, favorites: FoaasFavorites? = nil, center: NotificationCenter = .default
    ) {
        let operations = service.operations
        self.service = service
        self.favorites = favorites ?? FoaasFavorites(service)
        sentences = FoaasSentences(service)
        list = ResourceModel(
            ResourceModel.Loading(
                load: { () async throws(LoadError) in try await service.loadOperations() },
                saved: { () async throws(StoreError) in try await operations.saved() },
                isFresh: { operations.isFresh($0) }, fallback: operations.fallback))
        observation = center.observeFoaasOperations { [weak self] in
            guard let list = self?.list, list.phase == .failed, list.value == nil else { return }
            Task { await list.refresh() }
        }
    }

    /// The screen is visible: shows what is saved, and loads the list the first time.
    public func appear() async {
        await prepare()
        await list.appear()
    }

    /// The user asks for the latest list. Sentences that could not be loaded are asked for again.
    public func refresh() async {
        await prepare()
        await list.refresh()
        await sentences.askAgain()
    }

    /// There is a connection again: loads what is missing.
    public func connectionRestored() async {
        await list.connectionRestored()
        await sentences.askAgain()
    }

    /// Somebody looks at these operations, and at no others: what they say is loaded, as ``FoaasSentences`` tells.
    public func look(at ids: [FoaasOperation.ID]) async {
        let wanted = Set(ids.prefix(Self.mostLooks))
        await sentences.look(at: candidates.filter { wanted.contains($0.id) })
    }

    /// What an operation says; `nil` while it is not known.
    public func sentence(of operation: FoaasOperation) -> FoaasTemplate? {
        sentences.known[operation.id] ?? favorites[operation.id]?.template
            ?? takenBack.first { $0.id == operation.id }?.template
    }

    /// True if what an operation says is not known yet: a row then shows that it waits, and not a name that the sentence soon replaces.
    public func awaitsSentence(of operation: FoaasOperation) -> Bool {
        sentence(of: operation) == nil && sentences.awaits(operation.id)
    }

    /// Shows all operations or the favorites.
    public func show(_ filter: Filter) {
        self.filter = filter
        takenBack = []
    }

    /// Makes an operation a favorite, or takes that back.
    public func setFavorite(_ id: FoaasOperation.ID, _ isFavorite: Bool) async {
        guard let operation = operation(id) else { return }
        if filter == .favorites, !isFavorite, let favorite = favorites[id] {
            takenBack = takenBack.filter { $0.id != id } + [favorite]
        }
        await favorites.set(operation, isFavorite: isFavorite)
    }

    /// Searches names, paths, fields, and the sentences that are known: as they are, and without their swear words.
    public func search(_ query: String) { self.query = query }

    /// The most operations that are looked at: no screen shows more.
    private static let mostLooks = 60

    /// The operations of the filter.
    private var candidates: [FoaasOperation] {
        guard filter == .favorites else { return list.value?.operations ?? [] }
        // Those that were taken back stand where they were.
        let stay = takenBack.filter { favorites[$0.id] == nil }
        let back = Dictionary(takenBack.map { ($0.id, $0.keptAt) }) { _, last in last }
        let current = favorites.all.map { ($0.operation, back[$0.id] ?? $0.keptAt) }
        return (current + stay.map { ($0.operation, $0.keptAt) }).sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// The operation with this id, also if the filter hides it by now: the user has tapped what the page showed.
    private func operation(_ id: FoaasOperation.ID) -> FoaasOperation? {
        candidates.first { $0.id == id } ?? favorites[id]?.operation ?? list.value?.operations.first { $0.id == id }
    }

    /// The texts of an operation in which the search looks.
    private func texts(of operation: FoaasOperation) -> [String] {
        guard !query.isEmpty, let phrase = sentence(of: operation)?.phrase({ _ in nil }, name: { $0 })
        else { return [] }
        let filtered = ProfanityFilter.filter(phrase)
        return [phrase.message, phrase.subtitle, filtered.message, filtered.subtitle]
    }

    /// Shows the favorites and the saved sentences, so that the list does not begin with names that sentences then replace.
    private func prepare() async {
        await favorites.load()
        // A list that cannot be read is loaded below, and the load tells the reason.
        guard list.value == nil, let saved = try? await service.operations.saved() else { return }
        await sentences.showSaved(saved.value.operations)
    }
}
