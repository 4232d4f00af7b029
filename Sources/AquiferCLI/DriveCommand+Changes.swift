import App
import Aquifer
import Foundation
import ShadowDrive

extension DriveCommand {
    func create(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let created = try await drive.createStorageAccount(name: words[0], size: try size(StorageSize.parseAccount))
        if options.json {
            console.out(
                JSONText.object([
                    ("shdw_bucket", .string("\(created.account.address)")),
                    ("transaction_signature", .string("\(created.transactionSignature)")),
                ]).text)
        } else {
            console.out("\(created.account.address)")
        }
        if let error = created.saveError, !options.quiet {
            console.note("made, and not saved for offline use: \(error)")
        }
        return .delivered
    }

    func upload(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let address = try await account(drive)
        let meter = console.meter(options, "uploading")
        let results = try await drive.upload(
            words.dropFirst().map { URL(filePath: $0) }, to: address, overwrite: replaces
        ) { event in
            if case .progress(let progress) = event { meter.show(progress.sent, of: progress.total) }
        }
        meter.end()
        if options.json {
            let files = results.map { result in
                JSONText.object([
                    ("file", .string(result.name)), ("location", .string(result.location?.text)),
                    ("error", .string(result.error.map { "\($0)" })),
                ])
            }
            console.out(JSONText.object([("files", .array(files))]).text)
        } else {
            for result in results {
                if let location = result.location { console.out(location.text) }
            }
        }
        let failed = results.compactMap { result in result.error.map { (result.name, $0) } }
        if !options.json {
            for (name, error) in failed {
                // What is wrong with a file itself names it.
                if case .file = error { console.note("\(error)") } else { console.note("\(name): \(error)") }
            }
        }
        // Of several errors the first one decides.
        return failed.first.map { CommandError($0.1).status } ?? .delivered
    }

    func get(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let location = try location()
        let meter = console.meter(options, "getting \(location.name)")
        defer { meter.end() }
        guard output == "-" else {
            let size = try await drive.api.download(location, to: URL(filePath: output)) { meter.show($0, of: $1) }
            meter.end()
            console.wrote(size, to: output, options)
            return .delivered
        }
        let response = try await drive.api.open(location)
        var received: UInt64 = 0
        do throws(TransportError) {
            while let chunk = try await response.body.next() {
                console.out(chunk)
                received += UInt64(chunk.count)
                meter.show(received, of: response.head.contentLength.map(UInt64.init))
            }
        } catch { throw DriveError(error) }
        return .delivered
    }
}
