import Aquifer
import AquiferFoundation
import Observation

/// The colours that a phrase stands on.
public enum FoaasPalette: String, Sendable, Hashable, Codable, CaseIterable {
    case ink, ember, moss, tide, plum, paper
}

/// The settings of how phrases are shown. They are kept on this machine and are the same on all screens and in all
/// processes: once loaded, they follow what is kept.
@MainActor @Observable
public final class FoaasSettings {
    /// True if swear words lose their first vowel.
    public private(set) var filters = true
    /// The colours.
    public private(set) var palette = FoaasPalette.ink
    /// The reason why the last change could not be kept. The change holds until the program ends all the same.
    public private(set) var error: StoreError?

    /// The one entry of the settings.
    nonisolated static let entries = EntryFamily("foaas:settings", codec: CacheCodec<Kept>.json)

    private struct Kept: Codable, Sendable, Hashable {
        var filters = true
        var palette = FoaasPalette.ink
    }

    @ObservationIgnored private let cache: Cache<Kept>
    @ObservationIgnored private let changes: StoreChanges
    @ObservationIgnored private var isLoaded = false
    @ObservationIgnored private var keeping: Task<Void, Never>?
    /// The number of changes made here so far.
    @ObservationIgnored private var made = 0
    /// The number of those that are being kept.
    @ObservationIgnored private var unkept = 0
    /// The settings that were last read or kept; `nil` if none were.
    @ObservationIgnored private var known: Kept?
    @ObservationIgnored private var following: ChangeFollower?

    /// The settings kept beside a service's phrases.
    public init(_ service: FoaasService) {
        cache = Cache(key: Self.entries.prefix, in: service.ownStore, policy: .forever)
        changes = service.ownStore.changes
    }

    /// Reads the kept settings, the first time. From then on they are those that any process has kept last.
    public func load() async {
        guard !isLoaded else { return }
        isLoaded = true
        follow()
        await read()
    }

    private func follow() {
        following = changes.follow(where: { $0.concerns(Self.entries.prefix) }) { [weak self] in await self?.read() }
    }

    private func read() async {
        // What was chosen here is kept first.
        guard unkept == 0 else { return }
        let before = made
        let found: Kept?
        // Settings that cannot be read are those known so far, at first the initial ones; the next change replaces them.
        do throws(StoreError) { found = try await cache.load()?.value } catch { return }
        // A change that could not be kept holds until others change something.
        guard made == before, found != known else { return }
        known = found
        let settings = found ?? Kept()
        filters = settings.filters
        palette = settings.palette
    }

    /// Turns the filter on or off.
    public func setFilters(_ filters: Bool) async {
        await load()
        self.filters = filters
        await keep()
    }

    /// Chooses the colours.
    public func choose(_ palette: FoaasPalette) async {
        await load()
        self.palette = palette
        await keep()
    }

    /// The user has read that a change could not be kept.
    public func dismissError() { error = nil }

    /// A phrase as it is to be shown.
    public func shown(_ phrase: Foaas) -> Foaas { filters ? ProfanityFilter.filter(phrase) : phrase }

    /// Keeps the settings as they are once the changes before have been kept: of two changes made at once, the earlier one
    /// is never written over the later.
    private func keep() async {
        let before = keeping
        made += 1
        unkept += 1
        let now = Task {
            await before?.value
            do throws(StoreError) {
                let settings = Kept(filters: filters, palette: palette)
                try await cache.save(settings)
                known = settings
                error = nil
            } catch { self.error = error }
            unkept -= 1
            // Others may have changed them while these were being kept.
            await read()
        }
        keeping = now
        await now.value
    }
}
