import App
import Aquifer
import AquiferWording
import Foundation
import ImageFeed

/// `aquifer feed list`: the newest items, or the saved ones.
struct FeedListCommand {
    private let options: GlobalOptions
    /// The maximum number of items; `nil` for one page.
    private let limit: Int?

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
        if let text = arguments.value("--limit") {
            guard let limit = Int(text), limit > 0 else {
                throw .usage("--limit takes a number from 1, not \"\(text)\"")
            }
            guard !arguments.has("--all") else { throw .usage("--limit and --all exclude each other") }
            self.limit = limit
        } else {
            limit = arguments.has("--all") ? .max : nil
        }
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        var loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.feed.feed.load()
        }
        if loaded.source == .remote, let limit { try await addPages(to: &loaded, limit, services) }
        if let limit { loaded.value = Array(loaded.value.prefix(limit)) }
        if options.json {
            console.out(LoadReport.json(loaded) { $0.json })
        } else {
            console.out(lines: loaded.value.flatMap(lines))
            if loaded.value.isEmpty && !options.quiet { console.note("the feed is empty") }
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
            let status = CommandError(error).status
            throw CommandError(
                status: status,
                message:
                    "only \(counted(loaded.value.count, "item")) could be loaded (\(error)); try again, or see the saved ones with --offline"
            )
        }
    }

    private func lines(_ item: FeedItem) -> [String] {
        let description = item.description.map(onOneLine) ?? "(no description)"
        return [description] + [item.location.map(onOneLine), item.id.uuidString].compactMap { $0.map { "  " + $0 } }
    }

    private func onOneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: ", ")
    }
}

/// `aquifer feed comments ID`.
struct FeedCommentsCommand {
    private let options: GlobalOptions
    private let image: UUID

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        image = try arguments.nextID()
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let missing = "no picture \(image.uuidString) is in the feed; aquifer feed list --all shows those that are"
        let loaded = try await console.loading(options, ifMissing: missing) { () async throws(LoadError) in
            try await services.feed.comments(on: image).load()
        }
        if options.json {
            console.out(LoadReport.json(loaded) { $0.json })
        } else {
            let now = options.configuration.now()
            for comment in loaded.value {
                console.out("\(comment.author), \(Language.english.relative(comment.createdAt, now: now))")
                console.out(lines: comment.message.split(whereSeparator: \.isNewline).map { "  " + $0 })
            }
            if loaded.value.isEmpty && !options.quiet { console.note("nobody has said anything yet") }
        }
        return .delivered
    }
}

/// `aquifer feed image ID -o FILE`.
struct FeedImageCommand {
    private let options: GlobalOptions
    private let image: UUID
    private let output: String

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        image = try arguments.nextID()
        try arguments.end()
        output = try arguments.output(for: "picture")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let item = try await find(services)
        let missing = "the server does not have the picture \(image.uuidString) any more; choose another one"
        let loaded = try await console.loading(options, ifMissing: missing) { () async throws(LoadError) in
            try await services.feed.pictures.data(for: item.image)
        }
        let file = try OutputFile(output, console)
        try file.write(loaded.value)
        try file.finish()
        file.report(options) { LoadReport.json(loaded, value: $0) }
        return .delivered
    }

    /// The item of the picture: from the saved items, else from all items of the remote.
    private func find(_ services: Services) async throws(CommandError) -> FeedItem {
        // A saved copy that cannot be read is ignored, because the remote may answer.
        if let saved = try? await services.feed.feed.saved(), let item = saved.value.first(where: { $0.id == image }) {
            return item
        }
        do throws(LoadError) {
            let loaded = try await services.feed.feed.load()
            var page = loaded.value
            var seen = page
            while !page.isEmpty {
                if let item = page.first(where: { $0.id == image }) { return item }
                guard loaded.source == .remote else { break }
                page = try await services.feed.page(after: seen).value
                seen += page
            }
        } catch {
            throw CommandError(error)
        }
        throw .notFound("no picture \(image.uuidString) is in the feed; aquifer feed list --all shows those that are")
    }
}

extension Arguments {
    /// The next word as the ID of a thing. The error names the command that lists the IDs.
    mutating func nextID(of thing: String = "picture", listedBy list: String = "feed list") throws(CommandError) -> UUID
    {
        let text = try next("the \(thing)'s ID")
        guard let id = UUID(uuidString: text) else {
            throw .notFound("\"\(text)\" is not the ID of a \(thing); aquifer \(list) shows them")
        }
        return id
    }
}

extension Console {
    /// Loads, and writes a notice about the source to standard error.
    ///
    /// - Parameter missing: The message if there is no such thing, for the load of one named thing.
    func loading<Value>(
        _ options: GlobalOptions, ifMissing missing: String? = nil, _ load: () async throws(LoadError) -> Loaded<Value>
    ) async throws(CommandError) -> Loaded<Value> {
        do throws(LoadError) {
            let loaded = try await load()
            if !options.quiet {
                if let notice = loaded.source.notice(in: .english, now: options.configuration.now()) { note(notice) }
                if let error = loaded.saveError { note("not saved for offline use: \(error)") }
            }
            return loaded
        } catch {
            throw missing.map { CommandError(error, ifMissing: $0) } ?? CommandError(error)
        }
    }
}
