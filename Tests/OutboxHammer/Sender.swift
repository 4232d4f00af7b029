import Aquifer
import AquiferCurl
import AquiferSQLite
import Foundation
import Hammer

/// Queues items and sends them, with those of others, until it is killed. Tells of each item only once it is queued.
struct Sender {
    let place: Place
    let writer: Int
    let outbox: Outbox

    init(_ place: Place, writer: Int, seed: UInt64) throws {
        self.place = place
        self.writer = writer
        outbox = try Self.open(place)
    }

    static func open(_ place: Place) throws -> Outbox {
        // The server's port changes with each of its lives; it is looked up for every request.
        let client = CurlHTTPClient(
            configuration: .init(usesProxies: false) { _, _ in
                // Without a file there is no server yet: port 1 refuses.
                let text = try? String(contentsOf: place.port, encoding: .utf8)
                return ("127.0.0.1", text.flatMap { Int($0) } ?? 1)
            })
        let store = try SQLiteStore(file: place.store, patience: .seconds(30))
        let policy = SendPolicy(
            base: .milliseconds(4), cap: .milliseconds(60), lease: .milliseconds(300), poll: .milliseconds(20))
        return Outbox(in: store, attachments: place.attachments, client: client, policy: policy)
    }

    /// - Parameter isQuiet: true if it queues nothing, and ends when the queue is empty.
    func run(isQuiet: Bool) async throws {
        let running = Task { await outbox.run() }
        if isQuiet {
            while try await !outbox.items().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            running.cancel()
            return
        }
        // There are few groups, so that each has many items: their order is checked.
        for index in 0... {
            for group in 0..<3 { try await queue(Note(writer: writer, group: group, index: index)) }
            while try await outbox.items().count > 60 { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private func queue(_ note: Note) async throws {
        var parts: [HTTPBody.Part] = [.bytes(Data("\(note.name)\n".utf8))]
        let original = place.folder.appendingPathComponent("original-\(note.writer)-\(note.group)")
        if note.hasFile {
            let content = note.fileContent
            try content.write(to: original)
            parts.append(.file(original, offset: 0, length: UInt64(content.count)))
        }
        guard let url = URL(string: "http://server.internal/notes") else { return }
        // Far more than a killed server needs to be noticed: a slow machine that gives up on answers early never catches up.
        let limits = HTTPRequest.Limits(connect: .seconds(5), idle: .seconds(60), total: .seconds(120))
        let request = HTTPRequest(.post, url, body: HTTPBody(parts: parts), limits: limits)
        try await outbox.enqueue(request, group: note.groupName, label: note.name)
        // The outbox sends its copy.
        if note.hasFile { try FileManager.default.removeItem(at: original) }
        try HammerProcess.tell(note.name)
    }
}
