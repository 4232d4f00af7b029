import App
import Aquifer
import Payments

/// `aquifer contacts [QUERY]`: the people money can be sent to.
struct ContactsCommand {
    private let options: GlobalOptions
    private let query: String

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        query = arguments.words.joined(separator: " ")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        var loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.payments.contacts.load()
        }
        loaded.value = loaded.value.filter { $0.matches(query) }
        if options.json {
            console.out(LoadReport.json(loaded) { $0.json })
            return .delivered
        }
        let rows = loaded.value.map { [$0.username, $0.name] }
        console.table(["USERNAME", "NAME"], rows, options, ifEmpty: "no contact is called \"\(query)\"")
        return .delivered
    }
}
