import App
import Aquifer
import Foundation
import ReferenceAPIs
import ShadowDrive

/// The options of every command.
struct GlobalOptions {
    let configuration: Configuration
    let json: Bool
    let quiet: Bool

    init(_ arguments: Arguments, now: Date = Date()) throws(CommandError) {
        json = arguments.has("--json")
        quiet = arguments.has("--quiet")
        let folder = arguments.value("--data")
        guard folder != "" else { throw .usage("--data needs a folder") }
        var configuration = Configuration(
            data: folder.map { URL(filePath: $0, directoryHint: .isDirectory) } ?? Configuration.defaultData)
        for remote in arguments.all("--remote") {
            let (app, url) = try Self.remote(remote)
            configuration.remotes[app] = url
        }
        for fault in arguments.all("--fault") {
            let (remote, kind) = try Self.fault(fault)
            configuration.faults[remote] = kind
        }
        if let path = arguments.value("--keypair") { configuration.driveKeypair = URL(filePath: path) }
        if let url = arguments.value("--drive-url") {
            configuration.remotes[.drive] = try Self.address("--drive-url", url)
        }
        if let url = arguments.value("--rpc") { configuration.driveRPC = try Self.address("--rpc", url) }
        if let url = arguments.value("--files-url") { configuration.driveFiles = try Self.address("--files-url", url) }
        if let text = arguments.value("--uploader") {
            do throws(Base58Error) { configuration.driveUploader = try PublicKey(text) } catch {
                throw CommandError(status: .usage, message: "--uploader: \(error)")
            }
        }
        configuration.offline = arguments.has("--offline")
        configuration.allowTestCard = arguments.has("--allow-test-card")
        if let time = arguments.value("--at") {
            guard let offset = TimeOption.offset(time, from: now) else {
                throw .usage("--at takes a time such as 2026-11-21T09:00:00Z, +8d or -1h, not \"\(time)\"")
            }
            configuration.now = { Date().addingTimeInterval(offset) }
        }
        self.configuration = configuration
    }

    private static func remote(_ text: String) throws(CommandError) -> (ReferenceRemote, URL) {
        let names = ReferenceRemote.allCases.map(\.rawValue)
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let remote = ReferenceRemote(rawValue: parts[0]) else {
            throw .usage("--remote takes NAME=URL, with a name of \(names.joined(separator: ", ")), not \"\(text)\"")
        }
        return (remote, try address("--remote", parts[1]))
    }

    private static func address(_ option: String, _ text: String) throws(CommandError) -> URL {
        guard let url = URL(string: text), url.isWebAddress else {
            throw .usage("\(option) takes an http or https address, not \"\(text)\"")
        }
        return url
    }

    private static func fault(_ text: String) throws(CommandError) -> (ReferenceRemote, Fault) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let remote = ReferenceRemote(rawValue: parts[0]), let fault = Fault(rawValue: parts[1])
        else {
            let remotes = ReferenceRemote.allCases.map(\.rawValue).joined(separator: ", ")
            let faults = Fault.forms.joined(separator: ", ")
            throw .usage("--fault takes REMOTE=FAULT (remotes: \(remotes); faults: \(faults)), not \"\(text)\"")
        }
        return (remote, fault)
    }
}

/// `--at`: a date, or an offset from now.
enum TimeOption {
    /// The offset from now in seconds; `nil` if the text is neither a date nor an offset.
    static func offset(_ text: String, from now: Date) -> TimeInterval? {
        guard let sign = text.first, sign == "+" || sign == "-" else {
            // A text that is not a date gives `nil`.
            return (try? Date(text, strategy: .iso8601))?.timeIntervalSince(now)
        }
        let units: [Character: TimeInterval] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }),
            let count = Double(text.dropFirst().dropLast()), count.isFinite, count >= 0, count < 1e6
        else { return nil }
        return (sign == "-" ? -1 : 1) * count * unit
    }
}
