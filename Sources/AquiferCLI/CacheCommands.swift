import App
import Aquifer
import Foundation

/// `aquifer cache list`: what is saved, and whether it is good.
struct CacheListCommand {
    private let options: GlobalOptions

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let entries = try await storing { () async throws(StoreError) in try await services.inspector.entries() }
        if options.json {
            console.out(JSONText.object([("entries", .array(entries.map(json)))]).text)
            return .delivered
        }
        let now = options.configuration.now()
        let rows = entries.map { entry in
            [
                entry.validity.rawValue, Language.english.relative(entry.summary.savedAt, now: now),
                "\(entry.summary.size)", entry.summary.key,
            ]
        }
        console.table(["STATE", "SAVED", "BYTES", "KEY"], rows, options, ifEmpty: "nothing is saved")
        return .delivered
    }

    private func json(_ entry: Inspector.Entry) -> JSONText {
        .object([
            ("key", .string(entry.summary.key)),
            ("kind", .string(entry.summary.kind == .value ? "value" : "data")),
            ("size", .int(entry.summary.size)),
            ("savedAt", .string(entry.summary.savedAt.formatted(.iso8601))),
            ("validity", .string(entry.validity.rawValue)),
        ])
    }
}

/// `aquifer cache validate`: deletes what is expired or unreadable.
struct CacheValidateCommand {
    private let options: GlobalOptions

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let removed = try await storing { () async throws(StoreError) in try await services.inspector.validate() }
        if options.json {
            console.out(JSONText.object([("removed", .array(removed.map { .string($0) }))]).text)
        } else {
            for key in removed { console.out("deleted \(key)") }
            if !options.quiet { console.note("\(removed.count) deleted; what is left is good") }
        }
        return .delivered
    }
}

/// `aquifer cache clear [KEY]`: deletes one entry, or all.
struct CacheClearCommand {
    private let options: GlobalOptions
    private let key: String?

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        key = arguments.next()
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let count = try await storing { () async throws(StoreError) in
            guard let key else { return try await services.inspector.clear() }
            return try await services.inspector.delete(key) ? 1 : 0
        }
        if options.json {
            console.out(JSONText.object([("deleted", .int(count))]).text)
        } else if !options.quiet {
            console.note(count == 0 && key != nil ? "nothing is saved under this key" : "\(count) deleted")
        }
        return .delivered
    }
}

private func storing<Value>(_ work: () async throws(StoreError) -> Value) async throws(CommandError) -> Value {
    do throws(StoreError) { return try await work() } catch { throw CommandError(error) }
}
