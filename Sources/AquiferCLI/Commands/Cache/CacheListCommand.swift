import App
import Aquifer
import Foundation

/// `aquifer cache list`: everything that is saved, with its state.
struct CacheListCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let report = await call.services().inspector.entries()
        let entries = report.value
        if call.options.json {
            call.console.out(
                JSONText.object([("entries", .array(entries.map(json))), ("failures", report.failuresJSON)]).text)
            return call.console.tell(report)
        }
        let now = call.options.configuration.now()
        let rows = entries.map { entry in
            [
                entry.validity.rawValue, entry.savedAt.map { Language.english.relative($0, now: now) } ?? "",
                "\(entry.size)", entry.key,
            ]
        }
        call.console.table(
            ["STATE", "SAVED", "BYTES", "KEY"], rows, call.options,
            ifEmpty: report.failures.isEmpty ? "nothing is saved" : "nothing can be read")
        let damaged = entries.count { $0.validity == .unreadable }
        if damaged > 0 {
            call.console.note(
                "\(damaged) of these cannot be read; aquifer cache validate deletes \(damaged == 1 ? "it" : "them")")
        }
        return call.console.tell(report)
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
