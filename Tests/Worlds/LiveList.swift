import Aquifer
import AquiferTesting
import Foundation

/// What one life of a process does with the list in pages: it loads it, follows it and makes it invalid.
///
/// To the judge it is a page, whose version is that of the items of its first page.
struct LiveList {
    static let name = "list"

    private let list: PagedResource<ListItem>
    private let process: SimulatedProcess
    private let life: String
    private let server: PagesServer
    private let lists: ListServer
    private let judge: LiveJudge

    init(
        _ process: SimulatedProcess, _ life: String, _ policy: CachePolicy, _ store: any CacheStore,
        _ servers: (PagesServer, ListServer), _ judge: LiveJudge
    ) {
        (self.process, self.life, self.judge) = (process, life, judge)
        (server, lists) = servers
        let address = URL(string: "http://lists.example/items") ?? URL(fileURLWithPath: "/")
        list = PagedResource<ListItem>(
            key: Self.name, in: store, first: HTTPRequest(.get, address),
            next: .cursor("after") { head, body in try JSONMapper<ListPage>().map(head, body).next },
            client: process.client, codec: .json, policy: policy, now: process.now, clock: process.world.clock
        ) { head, body in try JSONMapper<ListPage>().map(head, body).items }
    }

    func follow() -> Task<Void, Never> {
        Task {
            for await loaded in list.updates {
                if let loaded { lists.judge(loaded.value, "\(life), a follower") }
                judge.emit(loaded.flatMap { Self.text($0) }, of: Self.name, to: life)
            }
        }
    }

    func act(_ task: String) async {
        switch process.random.int(in: 0...4) {
        case 0: await invalidate()
        case 1: await more()
        default: await load(task)
        }
    }

    /// Changes the list on the server, and makes it invalid.
    private func invalidate() async {
        if process.world.callerIsAlive {
            lists.change()
            server.change(Self.name)
        }
        let call = judge.begin([Self.name], in: life, isByKey: true)
        do throws(StoreError) {
            try await list.invalidate()
            judge.hasInvalidated(call)
        } catch { process.world.note("cannot make the list invalid: \(error)") }
    }

    private func more() async {
        do throws(LoadError) { lists.judge(try await list.loadMore().value, life) } catch {
            process.world.note("no more of the list: \(error)")
        }
    }

    func load(_ task: String, isLast: Bool = false) async {
        let look = judge.look(at: Self.name, by: task)
        do throws(LoadError) {
            let loaded = try await list.load()
            lists.judge(loaded.value, life)
            if let text = Self.text(loaded) { judge.see(text, look) }
        } catch {
            process.world.note("no list: \(error)")
            process.world.expect(!isLast, "no list although all is calm: \(error)")
        }
    }

    func compare() async throws {
        judge.compare(try await list.saved().flatMap { Self.text($0) }, of: Self.name, to: life)
    }

    /// The list as a page of the judge; `nil` if its first page is empty.
    private static func text(_ loaded: Loaded<PagedList<ListItem>>) -> Loaded<String>? {
        guard let version = loaded.value.pages.first?.items.first?.version else { return nil }
        return loaded.map { _ in PagesJudge.text(name, version) }
    }
}
