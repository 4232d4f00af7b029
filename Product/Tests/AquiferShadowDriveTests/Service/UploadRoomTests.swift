import Foundation
import Testing

@testable import AquiferShadowDrive

@Suite("Files that do not fit into an account", .timeLimit(.minutes(10)))
struct UploadRoomTests {
    @Test("take the room one after the other, and what they replace gives some back")
    func room() throws {
        var room = UploadRoom(free: 100, stored: [StoredFile(name: "old", size: 50)])
        try room.take(60, for: "a")
        #expect(throws: FileError.noRoom(name: "b", free: 40)) { try room.take(41, for: "b") }
        try room.take(90, for: "old")
        #expect(throws: FileError.noRoom(name: "old", free: 0)) { try room.take(1, for: "old") }
        var endless = UploadRoom(free: .max, stored: [StoredFile(name: "old", size: .max)])
        try endless.take(.max, for: "old")
    }

    @Test("that do not fit into the room that is known are not sent")
    func noRoom() async throws {
        let world = DriveWorld([:])
        let results = try await world.service.upload(
            [try world.file("large")], to: world.location("large").account, room: UploadRoom(free: 0, stored: []))
        #expect(results.map(\.error) == [.file(.noRoom(name: "large", free: 0))])
        #expect(world.requests("upload").isEmpty)
    }
}
