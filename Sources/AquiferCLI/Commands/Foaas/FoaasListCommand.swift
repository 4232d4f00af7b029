import App
import Aquifer
import Foaas
import Foundation

/// `aquifer foaas list [QUERY]`: lists the operations.
struct FoaasListCommand: CommandHandler {
    private let call: CommandCall
    private let query: String

    init(_ call: CommandCall) throws(CommandError) {
        query = call.words.joined(separator: " ")
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        let loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await services.foaas.loadOperations()
        }
        let found = loaded.value.operations.filter { $0.matches(query) }
        if loaded.value.skipped > 0 && !call.options.quiet {
            let skipped = loaded.value.skipped
            call.console.note(
                "\(skipped) of the remote's operations could not be read; \(skipped == 1 ? "it is" : "they are") not listed"
            )
        }
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { _ in found.map { OperationDocument($0) } })
            return .delivered
        }
        let rows = found.map { [$0.name, $0.placeholders.joined(separator: " "), $0.url] }
        call.console.table(["NAME", "KEYS", "PATH"], rows, call.options, ifEmpty: "no operation matches \"\(query)\"")
        return .delivered
    }
}
