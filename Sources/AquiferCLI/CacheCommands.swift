import App
import Aquifer
import AquiferWording
import Foundation

/// `aquifer cache list`: everything that is saved, with its state.
struct CacheListCommand {
    private let options: GlobalOptions

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let report = await services.inspector.entries()
        let entries = report.value
        if options.json {
            console.out(
                JSONText.object([("entries", .array(entries.map(json))), ("failures", report.failuresJSON)]).text)
            return console.tell(report)
        }
        let now = options.configuration.now()
        let rows = entries.map { entry in
            [
                entry.validity.rawValue, entry.savedAt.map { Language.english.relative($0, now: now) } ?? "",
                "\(entry.size)", entry.key,
            ]
        }
        console.table(
            ["STATE", "SAVED", "BYTES", "KEY"], rows, options,
            ifEmpty: report.failures.isEmpty ? "nothing is saved" : "nothing can be read")
        let damaged = entries.count { $0.validity == .unreadable }
        if damaged > 0 {
            console.note(
                "\(damaged) of these cannot be read; aquifer cache validate deletes \(damaged == 1 ? "it" : "them")")
        }
        return console.tell(report)
    }

    private func json(_ entry: Inspector.Entry) -> JSONText {
        .object([
            ("key", .string(entry.key)),
            ("kind", .string(entry.kind == .value ? "value" : "data")),
            ("size", .int(entry.size)),
            ("savedAt", .string(entry.savedAt?.formatted(.iso8601))),
            ("validity", .string(entry.validity.rawValue)),
            ("reason", .string(entry.reason)),
        ])
    }
}

/// `aquifer cache validate`: deletes everything that is expired or unreadable.
struct CacheValidateCommand {
    private let options: GlobalOptions

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        try arguments.end()
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let report = await services.inspector.validate()
        if options.json {
            console.out(
                JSONText.object([
                    ("removed", .array(report.value.map { .string($0) })), ("failures", report.failuresJSON),
                ]).text)
        } else {
            for key in report.value { console.out("deleted \(key)") }
            let left =
                report.failures.isEmpty
                ? "what is left in the cache is good; payments list and outbox list look at the rest"
                : "not everything could be looked at"
            if !options.quiet { console.note("\(report.value.count) deleted; \(left)") }
        }
        return console.tell(report)
    }
}

/// `aquifer cache clear [KEY]`: deletes one entry, or all that can be loaded again.
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
        let report: Inspector.Report<Int>
        if let key {
            do throws(StoreError) {
                report = .init(value: try await services.inspector.delete(key) ? 1 : 0)
            } catch { throw CommandError(error) }
        } else {
            report = await services.inspector.clear()
        }
        if report.value == 0, let key {
            throw CommandError(
                status: .notFound, message: "nothing is saved under \"\(key)\"; aquifer cache list shows the keys")
        }
        if options.json {
            console.out(
                JSONText.object([("deleted", .int(report.value)), ("failures", report.failuresJSON)]).text)
        } else if !options.quiet {
            console.note("\(report.value) deleted")
        }
        return console.tell(report)
    }
}

extension Console {
    /// Reports the stores that failed.
    ///
    /// - Returns: The exit status of the command.
    fileprivate func tell<Value>(_ report: Inspector.Report<Value>) -> ExitStatus {
        for failure in report.failures { note(CommandError(failure.error).message) }
        return report.failures.isEmpty ? .delivered : .store
    }
}
