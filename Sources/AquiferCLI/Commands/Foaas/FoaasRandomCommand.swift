import App
import Foaas

/// `aquifer foaas random`: says anything.
struct FoaasRandomCommand: CommandHandler {
    private let call: CommandCall
    private let filters: Bool

    init(_ call: CommandCall) throws(CommandError) {
        filters = !call.arguments.has(Options.unfiltered)
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services()
        return try await services.foaas.printPhrase(call, filters: filters) { () async throws(FoaasError) in
            try await services.foaas.anyPhrase()
        }
    }
}
