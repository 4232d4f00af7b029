import App
import Foundation

/// The command line: finds the command, runs it, says what went wrong.
enum Command {
    static let version = "0.1.0"

    private static let everywhere: Set<String> = [
        "--data", "--remote", "--at", "--json", "--offline", "--quiet", "--help", "-h", "--version",
        "--allow-test-card", "--keypair", "--rpc", "--drive-url", "--files-url", "--uploader",
    ]

    /// The options of each command beside those that go everywhere.
    private static let own: [String: Set<String>] = [
        "serve": ["--port", "--host", "--no-token", "--fault"],
        "remotes": ["--port", "--host", "--fault"],
        "feed list": ["--limit", "--all"],
        "feed comments": [],
        "feed image": ["-o", "--output"],
        "contacts": [],
        "cards list": [], "cards add": [], "cards remove": [], "cards rotate-key": [],
        "pay": ["--card", "--cvv-stdin"],
        "payments list": [], "payments check": [], "payments retry": ["--cvv-stdin"],
        "foaas list": [], "foaas say": ["--unfiltered"], "foaas random": ["--unfiltered"],
        "audio list": [], "audio get": ["-o", "--output"], "audio post": ["--title", "--author", "--later"],
        "outbox list": [], "outbox send": [], "outbox retry": [], "outbox discard": [],
        "drive create": [], "drive list": [], "drive info": [], "drive files": ["--sizes"],
        "drive upload": ["--replace"], "drive edit": [], "drive object": [], "drive get": ["-o", "--output"],
        "drive delete": [], "drive add-storage": [], "drive reduce-storage": [], "drive make-immutable": [],
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
                "--cvv-stdin", "--unfiltered", "--later", "--sizes", "--replace",
            ])
        if arguments.has("--version") {
            console.out("aquifer \(version)")
            return .delivered
        }
        if arguments.has("--help") || arguments.has("-h") {
            console.out(Help.text(for: arguments.words))
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
        case "cards": "cards \(try arguments.next("list, add, remove or rotate-key"))"
        case "payments": "payments \(try arguments.next("list, check or retry"))"
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
        let status: ExitStatus
        switch name {
        case "feed list": status = try await FeedListCommand(arguments, options).run(services, console)
        case "feed comments": status = try await FeedCommentsCommand(arguments, options).run(services, console)
        case "feed image": status = try await FeedImageCommand(arguments, options).run(services, console)
        case "contacts": status = try await ContactsCommand(arguments, options).run(services, console)
        case "cards list", "cards add", "cards remove", "cards rotate-key":
            status = try await CardsCommand(name, arguments, options).run(services, console)
        case "pay": status = try await PayCommand(arguments, options).run(services, console)
        case "payments list", "payments check", "payments retry":
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
        default: throw .usage("\"\(name)\" is not a command")
        }
        return status
    }
}
