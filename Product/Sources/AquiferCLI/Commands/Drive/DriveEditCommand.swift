import App
import AquiferShadowDrive
import Foundation

/// `aquifer drive edit ACCOUNT FILE`: replaces a file.
struct DriveEditCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let account = try await session.account()
        let file = URL(filePath: call.words[1])
        let location = try session.drive.api.location(of: await storedName(file, account, session.drive), in: account)
        let look = "aquifer drive files \(account) --sizes"
        let place = try await session.untilInterrupted(look) { () async throws(DriveError) in
            try await session.drive.editFile(location, with: file)
        }
        session.report(EditedFileDocument(finalizedLocation: place), lines: [place])
        return .delivered
    }

    /// The name of a local file in an account. It is the local name in composed form, as uploads send it, unless the
    /// account has a file of the exact local name.
    private func storedName(_ file: URL, _ account: PublicKey, _ drive: ShadowDriveService) async -> String {
        let name = file.lastPathComponent
        let composed = name.precomposedStringWithCanonicalMapping
        // Without the list, the composed form is used.
        guard !name.isExactly(composed), let names = try? await drive.api.listObjects(in: account),
            names.contains(where: name.isExactly)
        else { return composed }
        return name
    }
}
