import Aquifer
import AquiferSQLite
import Foundation
import Hammer

/// The faults of the system. Each function prints the outbox's answers.
enum Faults {
    /// With room for 300 KB in each file.
    static func full(_ place: Place) async throws {
        let outbox = try Sender.open(place)
        guard let url = URL(string: "http://server.internal/notes") else { return }
        try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data("before".utf8))))
        let file = place.folder.appendingPathComponent("large.bin")
        try Data(count: 1_000_000).write(to: file)
        Straits.limitFiles(to: 300_000)
        let attachment = HTTPBody(parts: [.file(file, offset: 0, length: 1_000_000)])
        await say("attachment") { try await outbox.enqueue(HTTPRequest(.post, url, body: attachment)) }
        await say("body") {
            try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data(count: 1_000_000))))
        }
        await say("small") { try await outbox.enqueue(HTTPRequest(.post, url, body: .bytes(Data("small".utf8)))) }
        let left = try FileManager.default.contentsOfDirectory(atPath: place.attachments.path)
        print("items: \(try await outbox.items().count), files: \(left.count)")
    }

    private static func say(_ attempt: String, _ operation: () async throws -> Void) async {
        let name = { (error: any Error) in if case OutboxError.store(.full) = error { "full" } else { "\(error)" } }
        await Straits.say(attempt, done: "queued", name: name, operation)
    }
}
