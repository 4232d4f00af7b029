import App
import Aquifer
import AquiferWording
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
                json: ResultDocument(
                    local: entries.map { EntryDocument($0) }, failures: report.failureDocuments))
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
                "\(damaged) of these cannot be read; aquifer cache validate deletes \(damaged == 1 ? "it" : "them"),"
                    + " but not favorites")
        }
        return call.console.tell(report)
    }
}
