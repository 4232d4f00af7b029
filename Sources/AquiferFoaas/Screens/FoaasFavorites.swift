import Aquifer
import AquiferFoundation
import Observation

/// The user's favorites, as all screens show them. They are the same on all screens and in all processes: once loaded, they
/// follow what is kept.
@MainActor @Observable
public final class FoaasFavorites {
    /// The favorites, the latest first.
    public private(set) var all: [FavoritePhrase] = []
    /// The reason why the last change was not kept, or why the favorites cannot be read. A change that was not kept is taken back.
    /// It stays until it is dismissed, until a change is kept, or until the favorites that could not be read are read.
    public private(set) var error: FavoriteError?
    /// The reason why the favorites could not be read last; `nil` if they could. To dismiss ``error`` does not change it.
    public private(set) var unread: StoreError?
    /// False if the favorites were never read, because they cannot be: ``all`` is then empty, and says nothing about them.
    public var isKnown: Bool { unread == nil || wasRead }

    @ObservationIgnored private let service: FoaasService
    private var wasRead = false
    @ObservationIgnored private var isLoaded = false
    @ObservationIgnored private var keeping: Task<Void, Never>?
    /// The number of changes made here so far.
    @ObservationIgnored private var made = 0
    /// The number of those that are being kept.
    @ObservationIgnored private var unkept = 0
    /// The favorites that were last read.
    @ObservationIgnored private var known: [FavoritePhrase] = []
    @ObservationIgnored private var following: ChangeFollower?

    /// The favorites kept beside a service's phrases.
    public init(_ service: FoaasService) {
        self.service = service
    }

    /// Reads the favorites, the first time. From then on they are those that any process has kept last. Favorites that could not be
    /// read are read again.
    public func load() async {
        guard !isLoaded else {
            if unread != nil { await read() }
            return
        }
        isLoaded = true
        following = service.favorites.changes.follow(where: { $0.concerns(FavoritePhrases.entries.prefix) }) {
            [weak self] in await self?.read()
        }
        await read()
        await learnFromSaved()
    }

    /// The favorite of an operation; `nil` if it is none.
    public subscript(_ id: FoaasOperation.ID) -> FavoritePhrase? { all.first { $0.id == id } }

    /// Makes an operation a favorite, or takes that back. It is shown at once; what it says is then loaded, if it is not known yet.
    public func set(_ operation: FoaasOperation, isFavorite: Bool) async {
        await load()
        guard isFavorite == (self[operation.id] == nil) else { return }
        let (before, service) = (keeping, service)
        made += 1
        unkept += 1
        // Changes that are made at once are kept in their order.
        let now = Task {
            await before?.value
            let saved = await service.savedTemplate(of: operation)
            do throws(FavoriteError) {
                try await service.favorites.set(operation, isFavorite: isFavorite, answer: saved?.answer)
                error = nil
            } catch { self.error = error }
            unkept -= 1
            await read()
        }
        keeping = now
        all = FavoritePhrases.changed(
            all, FavoritePhrase(operation: operation, answer: nil, keptAt: .distantFuture), isFavorite: isFavorite)
        await now.value
        if let favorite = self[operation.id], favorite.answer == nil { await learn(operation) }
    }

    /// The user has read the error.
    public func dismissError() { error = nil }

    /// Keeps what somebody else has loaded for favorites without their sentences: users share the saved copies, which last seven days.
    private func learnFromSaved() async {
        let lacking = all.filter { $0.answer == nil }
        for favorite in lacking {
            guard let saved = await service.savedTemplate(of: favorite.operation) else { continue }
            // One that could not be kept is learned the next time.
            try? await service.favorites.learn(saved.answer, of: favorite.operation)
        }
        if !lacking.isEmpty { await read() }
    }

    /// Loads what a favorite says, so that it is there without a connection.
    private func learn(_ operation: FoaasOperation) async {
        // Without an answer it stays a favorite by its name, until any screen loads what it says.
        guard (try? await service.template(of: operation)) != nil else { return }
        await read()
    }

    /// The favorites are read: that they could not be before is over.
    private func readAgain() {
        guard let reason = unread else { return }
        if error == .store(reason) { error = nil }
        unread = nil
    }

    private func read() async {
        // What was chosen here is kept first.
        guard unkept == 0 else { return }
        let before = made
        do throws(StoreError) {
            let found = try await service.favorites.all()
            guard made == before else { return }
            known = found
            wasRead = true
            readAgain()
        } catch {
            guard made == before else { return }
            (self.error, unread) = (.store(error), error)
        }
        // A change that was not kept is taken back, also when nothing can be read.
        if known != all { all = known }
    }
}
