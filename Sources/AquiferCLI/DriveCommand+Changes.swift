import App
import Aquifer
import Foundation
import ShadowDrive

extension DriveCommand {
    func create(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let bytes = try size(StorageSize.parseAccount)
        // The question is asked only on a terminal. A script gives name and size, and an account can be deleted again.
        if !isSure, Descriptor.input.isTerminal {
            try console.agree(try await creation(of: bytes, drive), isSure: isSure, options)
        }
        let created = try await untilInterrupted("aquifer drive list") { () async throws(DriveError) in
            try await drive.createStorageAccount(name: words[0], size: bytes) {
                if $0 == .waiting { waits(console) }
            }
        }
        say(created, console)
        return .delivered
    }

    func say(_ created: CreatedAccount, _ console: Console) {
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
    }

    /// Explains to the user why the command waits.
    func waits(_ console: Console) {
        guard !options.quiet else { return }
        console.note(
            "the server did not know the transaction's blockhash; waiting until that transaction can no longer be carried"
                + " out, before another one is signed")
    }

    func upload(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let address = try await account(drive)
        let meter = console.meter(options, "uploading")
        let look = "aquifer drive files \(address) --sizes"
        // The outcome of each file is reported, even after an interruption.
        let results = try await untilInterrupted(look) { () async throws(DriveError) in
            try await drive.upload(words.dropFirst().map { URL(filePath: $0) }, to: address, overwrite: replaces) {
                if case .progress(let progress) = $0 { meter.show(progress.sent, of: progress.total) }
            }
        }
        meter.end()
        let wasLeft = results.contains { $0.error?.cause == .cancelled }
        if options.json {
            let files = results.map { result in
                JSONText.object([
                    ("file", .string(result.name)), ("location", .string(result.location?.text)),
                    ("error", .string(result.error.map { CommandError($0).message })),
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
                // A file error already names the file.
                let words = CommandError(error).message
                if case .file = error { console.note(words) } else { console.note("\(name): \(words)") }
            }
        }
        if wasLeft {
            console.note("interrupted; \(look) shows what arrived")
            return .interrupted
        }
        // The first error decides the exit status.
        return failed.first.map { CommandError($0.1).status } ?? .delivered
    }

    func get(_ drive: ShadowDriveService, _ console: Console) async throws -> ExitStatus {
        let location = try location()
        let meter = console.meter(options, "getting \(location.name)")
        defer { meter.end() }
        let listed = await listedSize(of: location, drive)
        let response = try await drive.api.open(location)
        if let length = response.head.contentLength { try check(UInt64(length), isWhole: true, listed, location) }
        let file = try OutputFile(output, console)
        while let chunk = try await next(of: response) {
            try check(file.count + UInt64(chunk.count), isWhole: false, listed, location)
            try file.write(chunk)
            meter.show(file.count, of: response.head.contentLength.map(UInt64.init))
        }
        meter.end()
        try check(file.count, isWhole: true, listed, location)
        try file.finish()
        file.report(options)
        return .delivered
    }

    /// The size that the account lists for a file; `nil` if it is not known, or if the file is on another server.
    private func listedSize(of location: FileLocation, _ drive: ShadowDriveService) async -> UInt64? {
        guard drive.api.location(of: location.name, in: location.account).text == location.text,
            // Without the list, the file is not checked.
            let files = try? await drive.api.listFiles(in: location.account)
        else { return nil }
        return files.first { $0.name.isExactly(location.name) }?.size
    }

    /// Refuses a response whose size differs from the listed size. A login page, for example, also comes with status
    /// 200.
    private func check(
        _ bytes: UInt64, isWhole: Bool, _ listed: UInt64?, _ location: FileLocation
    ) throws(CommandError) {
        guard let listed, isWhole ? bytes != listed : bytes > listed else { return }
        throw CommandError(
            status: .invalidData,
            message: "\(location.name) has \(counted(listed, "byte")) in the account's list, and the server's answer"
                + " has \(isWhole ? "" : "more than ")\(counted(isWhole ? bytes : listed, "byte")): it is not the file")
    }

    private func next(of response: HTTPResponse) async throws(DriveError) -> Data? {
        do throws(TransportError) { return try await response.body.next() } catch { throw DriveError(error) }
    }
}
