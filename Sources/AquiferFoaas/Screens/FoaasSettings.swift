import Aquifer
import AquiferFoundation
import Observation

/// The colours that a phrase stands on.
public enum FoaasPalette: String, Sendable, Hashable, Codable, CaseIterable {
    case ink, ember, moss, tide, plum, paper
}

/// The settings of how phrases are shown. They are kept on this machine and are the same on all screens.
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

    private struct Kept: Codable, Sendable {
        let filters: Bool
        let palette: FoaasPalette
    }

    @ObservationIgnored private let cache: Cache<Kept>
    @ObservationIgnored private var isLoaded = false
    @ObservationIgnored private var keeping: Task<Void, Never>?

    /// The settings kept beside a service's phrases.
    public init(_ service: FoaasService) {
        cache = Cache(key: Self.entries.prefix, in: service.ownStore, policy: .forever)
    }

    /// Reads the kept settings, the first time.
    public func load() async {
        guard !isLoaded else { return }
        isLoaded = true
        // Settings that cannot be read are the initial ones; the next change replaces them.
        guard let kept = try? await cache.load()?.value else { return }
        filters = kept.filters
        palette = kept.palette
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
        let now = Task {
            await before?.value
            do throws(StoreError) {
                try await cache.save(Kept(filters: filters, palette: palette))
                error = nil
            } catch { self.error = error }
        }
        keeping = now
        await now.value
    }
}
