import App
import Aquifer

/// `aquifer link`: the address of a server whose output nobody sees.
struct LinkCommand: CommandHandler {
    private let call: CommandCall
    private let address: String

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        address = try call.serverAddress()
    }

    func run() async throws(CommandError) -> ExitStatus {
        let (found, hasUsers): (String?, Bool)
        do throws(StoreError) {
            let services = call.services()
            (found, hasUsers) = (try await services.serverToken(), try await services.hasHadUsers())
        } catch {
            throw CommandError(status: .store, message: "\(error)")
        }
        guard let token = found else {
            throw .notFound("no server with a token has run with this data; --data or --store names that of the server")
        }
        let link = "\(address)#token=\(token)"
        if call.options.json {
            call.console.out(json: ResultDocument(local: ServerLinkDocument(token: token, link: link)))
        } else {
            call.console.out(link)
            // The link may not have been written: then that is told, and nothing else.
            if call.console.canWrite {
                call.console.note("whoever has this link is let in")
                if hasUsers {
                    call.console.note("with --users, it lets in nobody: aquifer users token NAME prints a link")
                }
            }
        }
        return .delivered
    }
}
