import App
import Aquifer
import AquiferShadowDrive
import Foundation

/// `aquifer drive get URL -o FILE`: writes a file.
struct DriveGetCommand: DriveHandler {
    let call: CommandCall
    private let output: String

    init(_ call: CommandCall) throws(CommandError) {
        self.call = call
        output = try call.arguments.output(for: "file")
    }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let location = try session.location()
        let meter = session.console.meter(session.options, "getting \(location.name)")
        defer { meter.end() }
        let listed = await listedSize(of: location, session.drive)
        let response = try await session.drive.api.open(location)
        if let length = response.head.contentLength { try check(UInt64(length), isWhole: true, listed, location) }
        let file = try OutputFile(output, session.console)
        while let chunk = try await next(of: response) {
            try check(file.count + UInt64(chunk.count), isWhole: false, listed, location)
            try file.write(chunk)
            meter.show(file.count, of: response.head.contentLength.map(UInt64.init))
        }
        meter.end()
        try check(file.count, isWhole: true, listed, location)
        try file.finish()
        file.report(session.options)
        return .delivered
    }

    /// The size that the account lists for a file; `nil` if it is not known, or if the file is on another server.
    private func listedSize(of location: FileLocation, _ drive: ShadowDriveService) async -> UInt64? {
        // A name that no address can have is not listed under this one.
        guard (try? drive.api.location(of: location.name, in: location.account)) == location,
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
