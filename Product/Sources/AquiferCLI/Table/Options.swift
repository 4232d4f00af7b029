import App
import AquiferShadowDrive
import Foundation
import ReferenceAPIs

/// Every option of the command line. Parsing, help, completion, the man page and the handlers refer to these.
enum Options {
    // MARK: General options, of every command that works on data

    static let data = ValueOption(
        "--data", takes: "DIR", .folder,
        help: "save data in DIR (otherwise in $XDG_DATA_HOME/aquifer or ~/.local/share/aquifer)")
    static let store = ValueOption(
        "--store", takes: "URL", ValueType<StoreAddress>.postgres,
        help: "share what is saved with other machines, in PostgreSQL: postgresql://user@host/database (otherwise"
            + " $AQUIFER_STORE, which keeps a password from other users of this machine; without both, in files of DIR)"
    )
    static let keys = ValueOption(
        "--keys", takes: "DIR", .folder,
        help:
            "keep the keys of what is sealed in DIR (otherwise in $XDG_CONFIG_HOME/aquifer/keys or ~/.config/aquifer/keys);"
            + " machines with one --store need the same key there")
    static let cache = ValueOption(
        "--cache", takes: "URL", ValueType<StoreAddress>.redis,
        help:
            "read lists and pictures from Redis first: redis://host:6379/0 (otherwise $AQUIFER_CACHE); goes with --store,"
            + " and with each command on that store")
    // The names are written down, because each start would put them together.
    static let remote = ValueOption(
        "--remote", takes: "NAME=URL", .remote, isRepeatable: true,
        help: "use the server at URL for an app (feed, payments, foaas, audio, drive)"
            + " instead of its reference remote")
    static let json = Flag("--json", help: "print one JSON document")
    static let offline = Flag("--offline", help: "act as if there were no network")
    static let at = ValueOption(
        "--at", takes: "TIME", .time,
        help: "act as if it were TIME: 2026-11-21T09:00:00Z, or +8d or -1h from now")
    static let allowTestCard = Flag(
        "--allow-test-card", help: "accept the payments' test card on a server that is not the reference remote")
    static let quiet = Flag("--quiet", help: "print errors only, no notes, on standard error")
    static let help = Flag("--help", "-h", help: "print this text, or that of a command")
    static let version = Flag("--version", help: "print the version")

    static let general: [any DeclaredOption] = [
        data, keys, store, cache, remote, json, offline, at, allowTestCard, quiet, help, version,
    ]

    // MARK: Options of Shadow Drive

    static let keypair = ValueOption(
        "--keypair", takes: "FILE", .file,
        help: "your key, in Solana's form; keygen makes one (otherwise, at the reference remote, the key that the pages"
            + " use: $XDG_CONFIG_HOME/aquifer/keys/drive.json, made when it is first needed)")
    static let driveURL = ValueOption(
        "--drive-url", takes: "URL", .address, help: "the server (otherwise the reference remote)")
    static let rpc = ValueOption(
        "--rpc", takes: "URL", .address,
        help: "Solana's JSON-RPC (otherwise Solana's own; for the reference remote, its own)")
    static let filesURL = ValueOption(
        "--files-url", takes: "URL", .address, help: "the address of the files (otherwise below the server)")
    static let uploader = ValueOption(
        "--uploader", takes: "KEY", ValueType<PublicKey>.base58,
        help:
            "the key that the server signs with, if it is not Shadow Drive's (aquifer remotes --help names that of the"
            + " reference remote)")

    static let drive: [any DeclaredOption] = [keypair, driveURL, rpc, filesURL, uploader]

    // MARK: Options of some commands

    static let port = ValueOption("--port", takes: "PORT", .port, help: "the port; 0 for any free one")
    static let host = ValueOption(
        "--host", takes: "HOST", .host, help: "the address to listen on (127.0.0.1: this machine only)")
    static let noToken = Flag(
        "--no-token", help: "let in everyone who can reach the port, not only those who have the printed address")
    static let noSimulator = Flag(
        "--no-simulator", help: "offer no simulated network: the pages then have no drawer for developers")
    static let origin = ValueOption(
        "--origin", takes: "ORIGIN", .origin, isRepeatable: true,
        help: "an address under which a proxy before the server answers, such as https://aquifer.example")
    static let users = ValueOption(
        "--users", takes: "FILE", .file,
        help:
            "the users, each with a link and data of their own: FILE has them (see aquifer users), or, with the word store, they are in --store"
    )
    static let quota = ValueOption(
        "--quota", takes: "SIZE", .size,
        help: "with --users: the most that each user keeps, such as 500MB (1GB)")
    static let sendFirst = Flag("--send-first", help: "send what has not been sent; stay if something cannot be sent")
    static let discardUnsent = Flag(
        "--discard-unsent", help: "delete what has not been sent, and payments whose outcome is not known")
    static let fault = ValueOption(
        "--fault", takes: "REMOTE=FAULT", .fault, isRepeatable: true,
        help: "start with a fault of a reference remote: \(Fault.forms.joined(separator: ", "))")
    static let metricsPort = ValueOption(
        "--metrics-port", takes: "PORT", .port,
        help: "also serve /metrics without a token on this port of 127.0.0.1; 0 for any free one")
    static let log = ValueOption(
        "--log", takes: "FORMAT", ValueType<ServiceLog.Format>.logFormat,
        help: "what is told on standard error: json (a line for each request and event), text (the default: changes of"
            + " the service itself) or off")
    static let drain = ValueOption(
        "--drain", takes: "SECONDS", ValueType<Int>.drainSeconds,
        help: "how long after SIGTERM requests are still served while /readyz answers 503 (0)")
    static let limit = ValueOption("--limit", takes: "N", .count, help: "the newest N items")
    static let all = Flag("--all", help: "all items")
    static let output = ValueOption(
        "-o", "--output", takes: "FILE", .file, help: "the file to write; - is standard output")
    static let card = ValueOption(
        "--card", takes: "ID", .text, help: "pay with this card, not with the default (aquifer cards list shows it)")
    static let codeFromInput = Flag("--cvv-stdin", help: "read the security code from standard input")
    static let again = Flag(
        "--again",
        help: "send it, though it is not known whether another payment of this amount to the same person was made")
    static let unfiltered = Flag("--unfiltered", help: "show the vowels of swear words")
    static let title = ValueOption(
        "--title", takes: "TEXT", .text, help: "the title of the clip, at most 200 characters")
    static let author = ValueOption("--author", takes: "TEXT", .text, help: "the author of the clip")
    static let later = Flag(
        "--later",
        help: "keep it in the outbox, to be posted once as soon as there is a connection; prints the item's ID")
    static let wait = Flag("--wait", help: "stay until everything was sent or refused, and report the progress")
    static let sizes = Flag("--sizes", help: "with the size of each file")
    static let replace = Flag("--replace", help: "take the place of files with the same names")
    static let role = ValueOption(
        "--role", takes: "NAME", .text,
        help: "also grant this user of the database the rights that aquifer needs with these tables, and no others")
    static let yes = Flag("--yes", help: "do not ask")

    // MARK: Options of drive transaction

    static let ownerSeedFile = ValueOption(
        "--owner-seed-file", takes: "FILE", .file,
        help: "the owner's seed: 64 hex digits, or 32 bytes (or --keypair FILE)")
    static let blockhash = ValueOption(
        "--blockhash", takes: "BASE58", ValueType<Blockhash>.base58, help: "the blockhash")
    static let counter = ValueOption(
        "--counter", takes: "N", ValueType<UInt32>.number, help: "the number of the owner's account (0)")
    static let account = ValueOption(
        "--account", takes: "BASE58", ValueType<PublicKey>.base58, help: "the account's address, in place of --counter")
    static let name = ValueOption("--name", takes: "TEXT", .text, help: "the account's name: create, rename")
    static let bytes = ValueOption(
        "--bytes", takes: "N", ValueType<UInt64>.number,
        help: "the storage: create, add-storage, add-immutable-storage, reduce-storage")
    static let used = ValueOption(
        "--used", takes: "N", ValueType<UInt64>.number, help: "the storage in use: reduce-storage, make-immutable")
    static let computeUnits = ValueOption(
        "--compute-units", takes: "N", ValueType<UInt32>.number, help: "the limit of compute units")
    static let computePrice = ValueOption(
        "--compute-price", takes: "N", ValueType<UInt64>.number, help: "the price of a compute unit in micro-lamports")
}
