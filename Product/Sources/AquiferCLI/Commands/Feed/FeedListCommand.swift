import App
import Aquifer
import AquiferImageFeed
import AquiferWording
import Foundation

/// `aquifer feed list`: the newest items, or the saved ones.
struct FeedListCommand: CommandHandler {
    private let call: CommandCall
    /// The maximum number of items; `nil` for one page.
    private let limit: Int?

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        limit = try call.arguments.value(Options.limit) ?? (call.arguments.has(Options.all) ? .max : nil)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        var loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await services.feed.feed.load()
        }
        if loaded.source == .remote, let limit { try await addPages(to: &loaded, limit, services) }
        if let limit { loaded.value = Array(loaded.value.prefix(limit)) }
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { $0.map { FeedItemDocument($0) } })
        } else {
            call.console.out(lines: loaded.value.flatMap(lines))
            if loaded.value.isEmpty && !call.options.quiet { call.console.note("the feed is empty") }
        }
        return .delivered
    }

    private func addPages(to loaded: inout Loaded<[FeedItem]>, _ limit: Int, _ services: Services)
        async throws(CommandError)
    {
        do throws(LoadError) {
            while loaded.value.count < limit {
                let page = try await services.feed.page(after: loaded.value)
                guard !page.value.isEmpty else { return }
                loaded.value += page.value
                loaded.saveError = loaded.saveError ?? page.saveError
            }
        } catch {
            // Part of a list must not pass for the whole of it.
            let whole = CommandError(error)
            throw CommandError(
                status: whole.status,
                message: "only \(counted(loaded.value.count, "item")) could be loaded; try again, or see the saved ones"
                    + " with --offline. \(whole.message)")
        }
    }

    private func lines(_ item: FeedItem) -> [String] {
        let description = item.description.map(onOneLine) ?? "(no description)"
        let lines = [item.location.map(onOneLine), origin(item), item.id.uuidString]
        return [description] + lines.compactMap { $0.map { "  " + $0 } }
    }

    /// Author, age and number of comments, as far as the remote tells them; `nil` if it tells none.
    private func origin(_ item: FeedItem) -> String? {
        let now = call.options.configuration.now()
        let parts = [
            item.author.map(onOneLine), item.createdAt.map { Language.english.relative($0, now: now) },
            item.commentCount.map { counted($0, "comment") },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func onOneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: ", ")
    }
}
