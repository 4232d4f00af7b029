import App
import Aquifer
import Payments

/// `aquifer contacts [QUERY]`: the people money can be sent to.
struct ContactsCommand: CommandHandler {
    private let call: CommandCall
    private let query: String

    init(_ call: CommandCall) throws(CommandError) {
        query = call.words.joined(separator: " ")
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        var loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await services.payments.contacts.load()
        }
        loaded.value = loaded.value.filter { $0.matches(query) }
        if call.options.json {
            call.console.out(json: ResultDocument(loaded) { $0.map { ContactDocument($0) } })
            return .delivered
        }
        let rows = loaded.value.map { [$0.username, $0.name] }
        call.console.table(["USERNAME", "NAME"], rows, call.options, ifEmpty: "no contact is called \"\(query)\"")
        return .delivered
    }
}
