import App
import Aquifer
import Foundation
import ImageFeed

/// `aquifer feed list`: the newest items, or the saved ones.
struct FeedListCommand {
    private let options: GlobalOptions
    /// How many items are wanted; `nil` for a page.
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
            if !loaded.value.isEmpty { console.out(loaded.value.map(text).joined(separator: "\n")) }
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
                    "only \(loaded.value.count) items could be loaded (\(error)); see them with --offline, or try again"
            )
        }
    }

    private func text(_ item: FeedItem) -> String {
        let lines = [item.description ?? "(no description)", item.location, item.id.uuidString]
        return lines.compactMap { $0 }.enumerated().map { index, line in
            (index == 0 ? "" : "  ")
                + (line.utf8.contains(UInt8(ascii: "\n")) ? line.replacing("\n", with: ", ") : line)
        }.joined(separator: "\n")
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
        let loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.feed.comments(on: image).load()
        }
        if options.json {
            console.out(LoadReport.json(loaded) { $0.json })
        } else {
            let now = options.configuration.now()
            for comment in loaded.value {
                console.out("\(comment.author), \(Language.english.relative(comment.createdAt, now: now))")
                console.out("  " + comment.message.replacing("\n", with: "\n  "))
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
        let loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.feed.pictures.data(for: item.image)
        }
        if output == "-" {
            console.out(loaded.value)
            return .delivered
        }
        do {
            try loaded.value.write(to: URL(filePath: output), options: .atomic)
        } catch {
            throw CommandError(status: .store, message: "\(output) cannot be written; name another file with -o")
        }
        if options.json {
            let file = JSONText.object([("file", .string(output)), ("bytes", .int(loaded.value.count))])
            console.out(LoadReport.json(loaded, value: file))
        } else if !options.quiet {
            console.note("\(loaded.value.count) bytes written to \(output)")
        }
        return .delivered
    }

    /// The item of the picture: among those saved, else among all that the remote has.
    private func find(_ services: Services) async throws(CommandError) -> FeedItem {
        // A copy that cannot be read is no hindrance while the remote can be asked.
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
        throw CommandError(
            status: .unavailable, message: "no picture \(image.uuidString) is in the feed; see aquifer feed list --all")
    }
}

extension Arguments {
    /// The ID of a thing, which a command lists.
    mutating func nextID(of thing: String = "picture", listedBy list: String = "feed list") throws(CommandError) -> UUID
    {
        let text = try next("the \(thing)'s ID")
        guard let id = UUID(uuidString: text) else {
            throw .usage("\"\(text)\" is not the ID of a \(thing); aquifer \(list) shows them")
        }
        return id
    }
}

extension Console {
    /// Loads, and says on standard error what is to be known of the source.
    func loading<Value>(
        _ options: GlobalOptions, _ load: () async throws(LoadError) -> Loaded<Value>
    ) async throws(CommandError) -> Loaded<Value> {
        do throws(LoadError) {
            let loaded = try await load()
            if !options.quiet {
                if let notice = loaded.source.notice(in: .english, now: options.configuration.now()) { note(notice) }
                if let error = loaded.saveError { note("not saved for offline use: \(error)") }
            }
            return loaded
        } catch {
            throw CommandError(error)
        }
    }
}
