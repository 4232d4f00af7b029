import App
import Aquifer
import AquiferShadowDrive
import Foundation

/// `aquifer drive files ACCOUNT`: the files of an account.
struct DriveFilesCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let address = try await session.account(isShown: true)
        let loaded = try await call.console.loading(call.options) { () async throws(LoadError) in
            try await session.drive.contents(of: address).load()
        }
        if call.options.json {
            call.console.out(
                json: ResultDocument(loaded) { contents in
                    contents.files.map { StoredFileDocument(fileName: $0.name, size: $0.size) }
                })
        } else if call.arguments.has(Options.sizes) {
            let rows = loaded.value.files.map { [StorageSize.text($0.size), $0.name] }
            call.console.table(["SIZE", "NAME"], rows, call.options, ifEmpty: "this account has no files")
        } else {
            for file in loaded.value.files { call.console.out(file.name) }
            if loaded.value.files.isEmpty && !call.options.quiet { call.console.note("this account has no files") }
        }
        return .delivered
    }
}
