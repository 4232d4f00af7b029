import AquiferShadowDrive

/// `aquifer drive delete URL`: deletes a file. The user is asked first.
struct DriveDeleteCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let location = try session.location()
        try session.agree(
            Question(
                action: "deleting \(location.name) from \(location.account) for good", lines: ["cost: nothing"]))
        let look = "aquifer drive files \(location.account)"
        let answer = try await session.untilInterrupted(look) { () async throws(DriveError) in
            try await session.drive.deleteFile(location)
        }
        session.report(answer)
        return .delivered
    }
}
