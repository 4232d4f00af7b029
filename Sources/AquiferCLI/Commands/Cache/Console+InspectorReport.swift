import App
import Aquifer

extension Console {
    /// Reports the stores that failed.
    ///
    /// - Returns: The exit status of the command.
    func tell<Value>(_ report: Inspector.Report<Value>) -> ExitStatus {
        for failure in report.failures { note(CommandError(failure.error).message) }
        return report.failures.isEmpty ? .delivered : .store
    }
}
