import Aquifer
import AquiferShadowDrive
import Foundation
import Testing

@testable import App

@MainActor
@Suite("The names on the server, on the page of an account", .timeLimit(.minutes(10)))
struct ObjectNamesScreenTests {
    /// The drive of the same owner on another machine: the same server, and nothing saved in common. What is changed in
    /// the page's own store is on the page at once.
    private func elsewhere(_ world: AppWorld) throws -> ShadowDriveService {
        let drive = world.site.hub.drive.service
        return ShadowDriveService(
            api: drive.api, rpc: drive.rpc, program: drive.program,
            keypair: try Keypair(contentsOf: world.services.driveKey), store: MemoryStore(), now: world.date.read)
    }

    @Test("are those of /list-objects, marked where the list shown lacks them, and gone after a change")
    func compared() async throws {
        let world = AppWorld()
        let drive = world.site.hub.drive.service
        let address = try await drive.createStorageAccount(name: "holiday", size: 1 << 20).account.address
        let reader = world.states(DriveAccountScreen.self, showing: "\(address)")
        let screen = "drive-account?tab=tab&account=\(address)"
        await world.tell(screen, "appear")
        let before = await reader.state(with: #""isOwner":true"#)
        #expect(before.contains(#""objects":{"error":null,"missing":[],"names":[],"phase":"idle"}"#))
        await world.tell(screen, "objects")
        let none = await reader.state(with: #""names":[],"phase":"loaded"}"#)
        #expect(none.contains(#""objects":{"error":null,"missing":[],"names":[],"phase":"loaded"}"#))

        // Somebody else adds a file: the list shown does not have it yet.
        let file = world.folder.appending(path: "note.txt")
        try Data("note".utf8).write(to: file)
        _ = try await elsewhere(world).upload([file], to: address)
        await world.tell(screen, "dismissObjects")
        await world.tell(screen, "objects")
        let marked = await reader.state(with: #""names":[{"isShown""#)
        #expect(marked.contains(#""names":[{"isShown":false,"name":"note.txt"}]"#))
        await world.tell(screen, "refresh")
        _ = await reader.state(with: #""names":[{"isShown":true,"name":"note.txt"}]"#)
        await world.tell(screen, "delete", ["file": "note.txt"])
        _ = await reader.state(with: #""names":[],"phase":"idle"}"#)
        await world.services.stop()
    }

    @Test("Offline they are told as not loaded, in words; a file that they lack is named")
    func offline() async throws {
        let world = AppWorld()
        let drive = world.site.hub.drive.service
        let address = try await drive.createStorageAccount(name: "holiday", size: 1 << 20).account.address
        let file = world.folder.appending(path: "note.txt")
        let other = world.folder.appending(path: "other.txt")
        for url in [file, other] { try Data("note".utf8).write(to: url) }
        _ = try await drive.upload([file, other], to: address)
        let reader = world.states(DriveAccountScreen.self, showing: "\(address)", language: .brazilianPortuguese)
        let screen = "drive-account?tab=tab&account=\(address)"
        await world.tell(screen, "appear")
        _ = await reader.state(with: #""isOwner":true"#)
        world.services.reference.set(.offline, of: .drive)
        await world.tell(screen, "objects")
        let failed = await reader.state(with: #""names":[],"phase":"failed"}"#)
        #expect(failed.contains("Você está offline"))
        world.services.reference.set(.none, of: .drive)
        _ = try await elsewhere(world).deleteFile(drive.api.location(of: "note.txt", in: address))
        await world.tell(screen, "objects")
        _ = await reader.state(with: #""missing":["note.txt"]"#)
        await world.services.stop()
    }
}
