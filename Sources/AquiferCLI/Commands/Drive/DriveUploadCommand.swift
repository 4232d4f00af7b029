import App
import Foundation
import ShadowDrive

/// `aquifer drive upload ACCOUNT FILE…`: uploads files.
struct DriveUploadCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let address = try await session.account()
        let meter = session.console.meter(session.options, "uploading")
        let files = call.words.dropFirst().map { URL(filePath: $0) }
        let replaces = call.arguments.has(Options.replace)
        let look = "aquifer drive files \(address) --sizes"
        // The outcome of each file is reported, even after an interruption.
        let results = try await session.untilInterrupted(look) { () async throws(DriveError) in
            try await session.drive.upload(files, to: address, overwrite: replaces) {
                if case .progress(let progress) = $0 { meter.show(progress.sent, of: progress.total) }
            }
        }
        meter.end()
        let wasLeft = results.contains { $0.error?.cause == .cancelled }
        if session.options.json {
            let documents = results.map { result in
                UploadedFileDocument(
                    result.name, location: result.location?.text, error: result.error.map { CommandError($0) }
                )
            }
            session.console.out(json: ResultDocument(remote: documents))
        } else {
            for result in results {
                if let location = result.location { session.console.out(location.text) }
            }
        }
        let failed = results.compactMap { result in result.error.map { (result.name, $0) } }
        if !session.options.json {
            for (name, error) in failed {
                // A file error already names the file.
                let words = CommandError(error).message
                if case .file = error { session.console.note(words) } else { session.console.note("\(name): \(words)") }
            }
        }
        if wasLeft {
            session.console.note("interrupted; \(look) shows what arrived")
            return .interrupted
        }
        // The first error decides the exit status.
        return failed.first.map { CommandError($0.1).status } ?? .delivered
    }
}
