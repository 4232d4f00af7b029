import App
import Aquifer
import Foundation

/// `aquifer cache validate`: deletes what is expired or unreadable, but for favorites that are unreadable.
struct CacheValidateCommand: CommandHandler {
    private let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let report = await call.services().inspector.validate()
        if call.options.json {
            call.console.out(
                json: ResultDocument(
                    local: RemovedKeysDocument(removed: report.value), failures: report.failureDocuments))
        } else {
            for key in report.value { call.console.out("deleted \(key)") }
            let left =
                report.failures.isEmpty
                ? "the other cache entries are valid; payments list and outbox list check the rest"
                : "not everything could be looked at"
            if !call.options.quiet { call.console.note("\(report.value.count) deleted; \(left)") }
        }
        return call.console.tell(report)
    }
}
