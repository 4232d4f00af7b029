import App
import Aquifer
import Foundation

/// `aquifer cache clear [KEY]`: deletes one entry, or all that can be loaded again.
struct CacheClearCommand: CommandHandler {
    private let call: CommandCall
    private let key: String?

    init(_ call: CommandCall) throws(CommandError) {
        key = call.words.first
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let report: Inspector.Report<Int>
        if let key {
            do throws(StoreError) {
                report = .init(value: try await call.services().inspector.delete(key) ? 1 : 0)
            } catch { throw CommandError(error) }
        } else {
            report = await call.services().inspector.clear()
        }
        if report.value == 0, let key {
            throw CommandError(
                status: .notFound, message: "nothing is saved under \"\(key)\"; aquifer cache list shows the keys")
        }
        if call.options.json {
            call.console.out(
                json: ResultDocument(
                    local: DeletedCountDocument(deleted: report.value), failures: report.failureDocuments))
        } else if !call.options.quiet {
            call.console.note("\(report.value) deleted")
        }
        return call.console.tell(report)
    }
}
