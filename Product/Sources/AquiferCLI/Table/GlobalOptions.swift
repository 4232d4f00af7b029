import App
import Aquifer
import Foundation

/// The options of every command.
struct GlobalOptions {
    private(set) var configuration: Configuration
    /// The servers of the stores; `nil` for files of this machine.
    let servers: StoreServers?
    let json: Bool
    let quiet: Bool

    init(_ arguments: Arguments, now: Date = Date()) throws(CommandError) {
        json = arguments.has(Options.json)
        quiet = arguments.has(Options.quiet)
        servers = try Self.servers(arguments)
        var configuration = Configuration(data: try arguments.value(Options.data) ?? Configuration.defaultData)
        if let keys = try arguments.value(Options.keys) { configuration.keys = keys }
        for chosen in try arguments.all(Options.remote) {
            configuration.remotes[chosen.remote] = chosen.address
        }
        for chosen in try arguments.all(Options.fault) { configuration.faults[chosen.remote] = chosen.fault }
        if let path = try arguments.value(Options.keypair) { configuration.driveKeypair = URL(filePath: path) }
        if let url = try arguments.value(Options.driveURL) { configuration.remotes[.drive] = url }
        if let url = try arguments.value(Options.rpc) { configuration.driveRPC = url }
        if let url = try arguments.value(Options.filesURL) { configuration.driveFiles = url }
        if let key = try arguments.value(Options.uploader) { configuration.driveUploader = key }
        configuration.offline = arguments.has(Options.offline)
        configuration.offersSimulator = !arguments.has(Options.noSimulator)
        configuration.allowTestCard = arguments.has(Options.allowTestCard)
        if let time = try arguments.value(Options.at) {
            let offset = time.offset(from: now)
            guard now.addingTimeInterval(offset).isRFC3339 else {
                throw .usage("\(Options.at.declaration.name) takes a time in the years 0000 to 9999")
            }
            configuration.now = { Date().addingTimeInterval(offset) }
        }
        self.configuration = configuration
    }

    /// The servers that the options name, or the environment.
    private static func servers(_ arguments: Arguments) throws(CommandError) -> StoreServers? {
        let store = try address(Options.store, "AQUIFER_STORE", arguments)
        let cache = try address(Options.cache, "AQUIFER_CACHE", arguments)
        guard let store else {
            if arguments.has(Options.cache) { throw .usage("--cache goes with --store") }
            return nil
        }
        return StoreServers(store: store, cache: cache)
    }

    private static func address(
        _ option: ValueOption<StoreAddress>, _ variable: String, _ arguments: Arguments
    ) throws(CommandError) -> StoreAddress? {
        if let given = try arguments.value(option) { return given }
        guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else { return nil }
        do throws(CommandError) { return try option.value(of: text) } catch {
            throw CommandError(status: .usage, message: "\(variable), \(error.message)")
        }
    }

    /// The same options, connected to the servers of the stores.
    ///
    /// - Throws: `.unavailable` if one of them cannot be used.
    func connected() async throws(CommandError) -> GlobalOptions {
        guard let servers else { return self }
        do throws(StoreError) { return on(try await SharedStores.open(servers)) } catch {
            throw CommandError(status: .unavailable, message: "\(error)")
        }
    }

    /// The same options, with other folders; `nil` for the same one.
    func keeping(data: String?, keys: String?) -> GlobalOptions {
        var options = self
        if let data { options.configuration.data = URL(filePath: data, directoryHint: .isDirectory) }
        if let keys { options.configuration.keys = URL(filePath: keys, directoryHint: .isDirectory) }
        return options
    }

    /// The same options, on stores that are open.
    func on(_ stores: SharedStores) -> GlobalOptions {
        var options = self
        options.configuration.stores = stores
        return options
    }
}

/// The value of `--at`: a date, or an offset from now.
enum TimeOption: Sendable, Hashable {
    case date(Date)
    case offset(TimeInterval)

    /// Reads a date such as `2026-11-21T09:00:00Z`, or an offset such as `+8d`; `nil` for anything else.
    init?(_ text: String) {
        guard let sign = text.first, sign == "+" || sign == "-" else {
            guard let date = Date(rfc3339: text) else { return nil }
            self = .date(date)
            return
        }
        let units: [Character: TimeInterval] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = Double(text.dropFirst().dropLast()), count.isFinite, count >= 0, count < 1e6
        else { return nil }
        self = .offset((sign == "-" ? -1 : 1) * count * unit)
    }

    /// The offset from now in seconds.
    func offset(from now: Date) -> TimeInterval {
        switch self {
        case .date(let date): date.timeIntervalSince(now)
        case .offset(let offset): offset
        }
    }
}
