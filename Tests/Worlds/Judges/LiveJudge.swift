import Aquifer
import AquiferTesting

/// What was made invalid is not shown as the latest any more; versions never go back; a follower knows the last state.
///
/// An invalidation by prefix or by tag meets what is saved, and what its own process holds. It cannot know a page that another
/// process loads for the first time.
final class LiveJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    /// A load.
    final class Look: @unchecked Sendable {
        let page: String
        /// One life of a process, and one task in it.
        let reader: String
        let begun: Int

        init(_ page: String, _ reader: String, _ begun: Int) {
            (self.page, self.reader, self.begun) = (page, reader, begun)
        }
    }

    /// An invalidation of pages, each with the version that the server had before it.
    struct Call {
        var versions: [String: Int]
    }

    private let world: Simulation
    private let server: PagesServer
    private var moments = 0
    /// The pages that certainly have an entry in the store, which nobody deletes.
    private var saved: Set<String> = []
    /// For each page, the versions that the acknowledged invalidations ask for, and when they returned.
    private var floors: [String: [(moment: Int, version: Int)]] = [:]
    private var shown: [String: Int] = [:]
    private var last: [String: Loaded<String>?] = [:]
    /// The processes that have nothing more to do.
    var resting: Set<String> = []

    init(_ world: Simulation, _ server: PagesServer) { (self.world, self.server) = (world, server) }

    private var now: Int {
        moments += 1
        return moments
    }

    // MARK: Invalidations

    /// - Parameter isByKey: false for an invalidation by prefix or by tag.
    func begin(_ pages: [String], in life: String, isByKey: Bool) -> Call {
        let met = pages.filter { isByKey || saved.contains($0) || last["\(life) \($0)"] != nil }
        let versions = met.map { ($0, (server.versions[$0]?.count ?? 1) - 1) }
        return Call(versions: Dictionary(uniqueKeysWithValues: versions))
    }

    func hasInvalidated(_ call: Call) {
        guard world.callerIsAlive else { return }
        world.note("has made invalid: \(call.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
        for (page, version) in call.versions {
            floors[page, default: []].append((now, version))
            saved.insert(page)
        }
    }

    // MARK: Loads

    func look(at page: String, by reader: String) -> Look { Look(page, reader, now) }

    func see(_ loaded: Loaded<String>, _ look: Look) {
        guard world.callerIsAlive, let version = version(loaded, of: look.page) else { return }
        world.note("sees version \(version) of \(look.page) \(loaded.source)")
        if loaded.savedAt != nil { saved.insert(look.page) }
        if case .cache(_, because: .some) = loaded.source { return }
        let floor = (floors[look.page] ?? []).filter { $0.moment < look.begun }.map(\.version).max() ?? 0
        world.expect(version >= floor, "version \(version) of \(look.page) was shown after \(floor) was made known")
        show(version, loaded, of: look.page, "\(look.reader) \(look.page)")
    }

    private func version(_ loaded: Loaded<String>, of page: String) -> Int? {
        guard let version = loaded.value.split(separator: " ").last.flatMap({ Int($0) }),
            loaded.value == PagesJudge.text(page, version), version < server.versions[page]?.count ?? 0
        else {
            world.expect(false, "\(page) was delivered as what the server never said: \(loaded.value)")
            return nil
        }
        return version
    }

    private func show(_ version: Int, _ loaded: Loaded<String>, of page: String, _ reader: String) {
        // What could not be saved could not be compared with what others have saved, and cannot be shown again.
        if let error = loaded.saveError { return world.note("could not save it: \(error)") }
        if let before = shown[reader], version < before {
            // Of two answers of one second, nobody can say which is newer.
            world.expect(
                !server.datesTell(version, from: before, of: page), "\(reader): version \(before), and then \(version)")
        }
        shown[reader] = max(version, shown[reader] ?? 0)
    }

    // MARK: Followers

    func emit(_ loaded: Loaded<String>?, of page: String, to life: String) {
        guard world.callerIsAlive else { return }
        last["\(life) \(page)"] = loaded
        guard let loaded, let version = version(loaded, of: page) else {
            return world.note("\(page) has nothing to show")
        }
        world.note("is told version \(version) of \(page) \(loaded.source)")
        show(version, loaded, of: page, "\(life) \(page) follower")
    }

    /// All is quiet: a follower shows what is saved.
    func compare(_ saved: Loaded<String>?, of page: String, to life: String) {
        guard world.callerIsAlive else { return }
        let told = last["\(life) \(page)"] ?? nil
        // What could not be saved is shown all the same.
        if told?.saveError != nil { return }
        world.expect(
            told?.value == saved?.value && told?.savedAt == saved?.savedAt,
            "\(life) was told \(told?.value ?? "nothing") last, and \(saved?.value ?? "nothing") of \(page) is saved")
    }
}
