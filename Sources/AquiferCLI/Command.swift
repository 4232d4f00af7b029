import App
import Foundation

/// The command line: it finds the command, runs it, and reports its error.
enum Command {
    static let version = "0.1.0"

    private static let everywhere: Set<String> = [
        "--data", "--remote", "--at", "--json", "--offline", "--quiet", "--help", "-h", "--version",
        "--allow-test-card", "--keypair", "--rpc", "--drive-url", "--files-url", "--uploader",
    ]

    /// The options of each command in addition to the global ones.
    private static let own: [String: Set<String>] = [
        "serve": ["--port", "--host", "--no-token", "--fault"],
        "remotes": ["--port", "--host", "--fault"],
        "feed list": ["--limit", "--all"],
        "feed comments": [],
        "feed image": ["-o", "--output"],
        "contacts": [],
        "cards list": [], "cards add": [], "cards default": [], "cards remove": [], "cards rotate-key": [],
        "cards accept-older": [], "cards discard-older": [],
        "pay": ["--card", "--cvv-stdin", "--again"],
        "payments list": [], "payments check": [], "payments retry": ["--cvv-stdin", "--again"],
        "payments give-up": [], "payments discard": ["--yes"],
        "foaas list": [], "foaas say": ["--unfiltered"], "foaas random": ["--unfiltered"],
        "audio list": [], "audio get": ["-o", "--output"], "audio post": ["--title", "--author", "--later"],
        "outbox list": [], "outbox send": ["--wait"], "outbox retry": [], "outbox discard": [],
        "drive create": ["--yes"], "drive list": [], "drive info": [], "drive files": ["--sizes"],
        "drive upload": ["--replace"], "drive edit": [], "drive object": [], "drive get": ["-o", "--output"],
        "drive delete": ["--yes"], "drive add-storage": ["--yes"], "drive reduce-storage": ["--yes"],
        "drive make-immutable": ["--yes"], "drive delete-account": ["--yes"], "drive keep-account": ["--yes"],
        "drive claim": ["--yes"], "drive submit": ["--yes"], "drive objects": [],
        "drive keygen": [], "drive transaction": DriveTransactionCommand.valued,
        "cache list": [], "cache validate": [], "cache clear": [],
    ]

    static func run(_ arguments: [String], _ console: Console) async -> ExitStatus {
        do throws(CommandError) {
            return try await dispatch(arguments, console)
        } catch {
            console.note(error.message)
            return error.status
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) async throws(CommandError) -> ExitStatus {
        var arguments = try Arguments(
            words,
            valued: DriveTransactionCommand.valued.union([
                "--data", "--remote", "--at", "--port", "--host", "--fault", "--limit", "-o", "--output",
                "--card", "--title", "--author", "--keypair", "--rpc", "--drive-url", "--files-url",
            ]),
            flags: [
                "--json", "--offline", "--quiet", "--help", "-h", "--version", "--no-token", "--all",
                "--allow-test-card",
                "--cvv-stdin", "--unfiltered", "--later", "--sizes", "--replace", "--yes", "--wait", "--again",
            ])
        if arguments.has("--version") {
            console.out("aquifer \(version)")
            return .delivered
        }
        if arguments.has("--help") || arguments.has("-h") {
            console.out(lines: Help.text(for: arguments.words).components(separatedBy: "\n"))
            return .delivered
        }
        guard let first = arguments.next() else {
            throw .usage(
                "say what to do: serve, remotes, feed, contacts, cards, pay, payments, foaas, audio, outbox, drive or cache"
            )
        }
        let name = try fullName(first, &arguments)
        guard let own = own[name] else { throw .usage("\"\(name)\" is not a command") }
        if let stranger = arguments.given.subtracting(everywhere).subtracting(own).sorted().first {
            throw .usage("\(stranger) does not go with \"\(name)\"")
        }
        return try await run(name, arguments, console)
    }

    /// `feed` and `cache` have commands of their own.
    private static func fullName(_ first: String, _ arguments: inout Arguments) throws(CommandError) -> String {
        switch first {
        case "feed": "feed \(try arguments.next("list, comments or image"))"
        case "cards":
            "cards \(try arguments.next("list, add, default, remove, rotate-key, accept-older or discard-older"))"
        case "payments": "payments \(try arguments.next("list, check, retry, give-up or discard"))"
        case "foaas": "foaas \(try arguments.next("list, say or random"))"
        case "audio": "audio \(try arguments.next("list, get or post"))"
        case "outbox": "outbox \(try arguments.next("list, send, retry or discard"))"
        case "drive": "drive \(try arguments.next("what to do with Shadow Drive: see aquifer drive --help"))"
        case "cache": "cache \(try arguments.next("list, validate or clear"))"
        default: first
        }
    }

    private static func run(
        _ name: String, _ arguments: Arguments, _ console: Console
    ) async throws(CommandError) -> ExitStatus {
        let options = try GlobalOptions(arguments)
        switch name {
        case "serve": return try await ServeCommand(arguments, options).run(console)
        case "remotes": return try await RemotesCommand(arguments, options).run(console)
        case "drive transaction": return try DriveTransactionCommand(arguments, options).run(console)
        default: break
        }
        let services = Services(options.configuration)
        services.configureFoaas()
        let status: ExitStatus
        switch name {
        case "feed list": status = try await FeedListCommand(arguments, options).run(services, console)
        case "feed comments": status = try await FeedCommentsCommand(arguments, options).run(services, console)
        case "feed image": status = try await FeedImageCommand(arguments, options).run(services, console)
        case "contacts": status = try await ContactsCommand(arguments, options).run(services, console)
        case _ where name.hasPrefix("cards "):
            status = try await CardsCommand(name, arguments, options).run(services, console)
        case "pay": status = try await PayCommand(arguments, options).run(services, console)
        case "payments discard":
            status = try await PaymentsDiscardCommand(arguments, options).run(services, console)
        case _ where name.hasPrefix("payments "):
            status = try await PaymentsCommand(name, arguments, options).run(services, console)
        case "foaas list": status = try await FoaasListCommand(arguments, options).run(services, console)
        case "foaas say": status = try await FoaasSayCommand(arguments, options).run(services, console)
        case "foaas random": status = try await FoaasRandomCommand(arguments, options).run(services, console)
        case "audio list": status = try await AudioListCommand(arguments, options).run(services, console)
        case "audio get": status = try await AudioGetCommand(arguments, options).run(services, console)
        case "audio post": status = try await AudioPostCommand(arguments, options).run(services, console)
        case "outbox list", "outbox send", "outbox retry", "outbox discard":
            status = try await OutboxCommand(name, arguments, options).run(services, console)
        case _ where name.hasPrefix("drive "):
            status = try await DriveCommand(name, arguments, options).run(services, console)
        case "cache list": status = try await CacheListCommand(arguments, options).run(services, console)
        case "cache validate": status = try await CacheValidateCommand(arguments, options).run(services, console)
        case "cache clear": status = try await CacheClearCommand(arguments, options).run(services, console)
        default: throw CommandError(status: .bug, message: "\"\(name)\" does nothing, which is a mistake in aquifer")
        }
        return status
    }
}
