import App
import ShadowDrive

/// `aquifer drive objects ACCOUNT`: only the names of an account's files, from the server (`/list-objects`). The names are
/// not saved.
struct DriveObjectsCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let names = try await session.drive.api.listObjects(in: try await session.account())
        if call.options.json {
            call.console.out(json: ResultDocument(remote: names))
        } else {
            for name in names { call.console.out(name) }
        }
        return .delivered
    }
}
