import ShadowDrive

/// `aquifer drive object URL`: the owner and the account of a file.
struct DriveObjectCommand: DriveHandler {
    let call: CommandCall

    init(_ call: CommandCall) throws(CommandError) { self.call = call }

    func run(_ session: DriveSession) async throws -> ExitStatus {
        let owner = try await session.drive.api.objectData(at: call.words[0])
        let document = FileOwnerDocument(
            ownerAccountPubkey: "\(owner.owner)", storageAccountPubkey: "\(owner.account)")
        session.report(document, lines: [document.ownerAccountPubkey, document.storageAccountPubkey])
        return .delivered
    }
}
