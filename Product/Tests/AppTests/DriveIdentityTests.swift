import AquiferShadowDrive
import Foundation
import Testing

@testable import App

@MainActor
@Suite("The drive has one identity", .timeLimit(.minutes(10)))
struct DriveIdentityTests {
    @Test("Pages and commands sign with the same key, made once, where none is named")
    func same() async throws {
        let world = AppWorld()
        let command = try await world.services.drive()
        #expect(command.owner != nil && command.owner == world.site.hub.drive.service.owner)
        #expect(command.owner == (try Keypair(contentsOf: world.services.driveKey)).publicKey)
        let made = try await command.createStorageAccount(name: "holiday", size: 1 << 20)
        let list = world.states(DriveScreen.self)
        await world.tell("drive?tab=tab", "appear")
        #expect(await list.state(with: "\(made.account.address)").contains("holiday"))
        await world.services.stop()
    }

    @Test("A key file that is named is both's, and for a server elsewhere no key is made")
    func named() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "id.json")
        let keypair = try Keypair()
        try keypair.write(to: file)
        let named = AppWorld { $0.driveKeypair = file }
        #expect(try await named.services.drive().owner == keypair.publicKey)
        #expect(named.site.hub.drive.service.owner == keypair.publicKey)
        let elsewhere = AppWorld { $0.remotes[.drive] = URL(string: "http://drive.example") }
        #expect(try await elsewhere.services.drive().owner == nil && elsewhere.site.hub.drive.service.owner == nil)
        #expect(!FileManager.default.fileExists(atPath: elsewhere.services.driveKey.path))
    }

    @Test("A transaction that was signed elsewhere is handed over on the page, and what it asks for is said before")
    func handedOver() async throws {
        let world = AppWorld()
        let service = world.site.hub.drive.service
        let other = try Keypair()
        let program = service.program
        var transaction = try program.transaction(
            .create(name: "from elsewhere", bytes: 1 << 20), owner: other.publicKey,
            account: program.storageAccount(of: other.publicKey, counter: 0),
            blockhash: try await service.rpc.latestBlockhash())
        try transaction.sign(with: other)
        let form = world.states(DriveCreateScreen.self)
        let screen = "drive-create?tab=tab"
        await world.tell(screen, "appear")
        await world.tell(screen, "transaction", ["text": "bm9uZQ=="])
        #expect(await form.state { $0.contains(#""handedError":""#) }.contains(#""canHandOver":false"#))
        await world.tell(screen, "transaction", ["text": transaction.base64])
        let ready = await form.state(with: #""canHandOver":true"#)
        #expect(ready.contains("from elsewhere") && ready.contains("\(other.publicKey)") && ready.contains("SHDW"))
        #expect(await world.tell(screen, "handOver") == 400)
        #expect(await world.tell(screen, "handOver", ["transaction": "bm9uZQ=="]) == 400, "the page shows another one")
        #expect(await world.tell(screen, "handOver", ["transaction": transaction.base64]) == 204)
        #expect(await form.state(with: #""phase":"created""#).contains("from elsewhere"))
        await world.services.stop()
    }

    @Test("An account is deleted, kept after all, and its tokens claimed, on its page; the balance is shown")
    func account() async throws {
        let world = AppWorld()
        let made = try await world.site.hub.drive.service.createStorageAccount(name: "holiday", size: 1 << 20)
        let reader = world.states(DriveAccountScreen.self, showing: "\(made.account.address)")
        let screen = "drive-account?tab=tab&account=\(made.account.address)"
        await world.tell(screen, "appear")
        #expect(await reader.state(with: #""balanceText":""#).contains("SHDW"))
        await world.tell(screen, "deleteAccount", ["typed": "holida"])
        await world.tell(screen, "deleteAccount", ["typed": "holiday"])
        _ = await settled(reader, #""isToBeDeleted":true"#)
        await world.tell(screen, "keepAccount")
        _ = await settled(reader, #""isToBeDeleted":false"#)
        await world.tell(screen, "reduceStorage", ["size": "512KB"])
        _ = await settled(reader, #""unstakedText":""#)
        await world.tell(screen, "claim")
        _ = await settled(reader, #""unstakedText":null"#)
        await world.services.stop()
    }

    /// The next state that has these words while no action is under way: until then the page's buttons do nothing.
    private func settled(_ reader: StateReader, _ words: String) async -> String {
        await reader.state { $0.contains(words) && $0.contains(#""action":null"#) }
    }
}
