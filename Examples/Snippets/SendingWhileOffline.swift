import Aquifer
import AquiferSQLite
import AquiferTesting
import Foundation
import Testing

struct Clip: Codable, Sendable, Equatable {
    let title: String
}

func post(_ clip: Clip, recording: URL, to server: URL) throws -> HTTPRequest {
    var form = MultipartForm()
    form.add("metadata", try JSONEncoder().encode(clip), type: "application/json")
    try form.add("audio", file: recording, type: "audio/mpeg")
    return HTTPRequest(
        .post, server.appending(path: "v1/audio"), headers: ["Content-Type": form.contentType], body: form.body)
}

func saver(recording: URL, server: URL, client: any HTTPClient) -> RemoteSaver<Clip, Clip> {
    RemoteSaver(client: client) { clip in
        try post(clip, recording: recording, to: server)
    } map: { head, body in
        guard head.status == 201 else { throw InvalidData.status(head.status) }
        return try JSONDecoder().decode(Clip.self, from: body)
    }
}

func outbox(in folder: URL, store: any CacheStore, client: any HTTPClient) -> Outbox {
    Outbox(in: store, attachments: folder.appending(path: "attachments"), client: client)
}

func queue(in support: URL) throws(StoreError) -> SQLiteStore {
    try SQLiteStore(
        file: support.appending(path: "outbox.sqlite"), durability: .power, isIrreplaceable: true,
        files: FilePolicy(protection: .fromFirstUnlock))
}

func judge(_ item: Outbox.Item, _ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict {
    guard HTTPStatus.isSuccess(head.status) else { return Outbox.Verdict(head, body, of: item) }
    // The server answers with the clip. A success without it is somebody else's.
    return (try? JSONDecoder().decode(Clip.self, from: body)) == nil ? .foreign : .sent
}

func words(for state: Outbox.State, of length: UInt64) -> String {
    switch state {
    case .waiting: "Waiting"
    case .retrying(after: .noAnswer, at: let date): "No answer yet. Again at \(date)"
    case .retrying(after: .foreign, _): "Something between here and the server answered"
    case .retrying(after: .unreadable, _): "Cannot be read here now"
    case .retrying(after: .status, at: let date): "The server is busy. Again at \(date)"
    case .sending(let sent): length == 0 ? "Sending" : "Sending, \(sent * 100 / length) %"
    case .sendingElsewhere: "Sending"
    case .paused: "Paused"
    case .refused(let refusal): "Not accepted: \(refusal)"
    case .damaged: "Cannot be read any more"
    case .sent: "Sent"
    case .gone: "No longer in the outbox"
    }
}

@Suite("The snippets of Sending while offline")
struct SendingWhileOfflineTests {
    private let server = URL(string: "https://example.org")!

    private func withRecording(_ use: (_ folder: URL, _ recording: URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let recording = folder.appending(path: "birds.mp3")
        try Data(count: 1000).write(to: recording)
        try await use(folder, recording)
    }

    @Test("A clip that cannot be posted now says so, and is sent later")
    func direct() async throws {
        try await withRecording { _, recording in
            let client = ScriptedHTTPClient([.failure(TransportError(.offline))])
            let saver = saver(recording: recording, server: server, client: client)
            await #expect(throws: LoadError.connectivity(TransportError(.offline))) {
                try await saver.save(Clip(title: "Birds"))
            }
        }
    }

    @Test("A clip queued while offline is sent when there is a connection")
    func queuedWhileOffline() async throws {
        try await withRecording { folder, recording in
            let client = ScriptedHTTPClient([.failure(TransportError(.offline)), .answer(status: 201)])
            let outbox = outbox(in: folder, store: MemoryStore(), client: client)

            let request = try post(Clip(title: "Birds"), recording: recording, to: server)
            let item = try await outbox.enqueue(request, group: "clips", label: "Birds")
            try FileManager.default.removeItem(at: recording)  // the outbox has a copy

            var report = try await outbox.drain()
            #expect(report.failed == 1)
            await outbox.connectionRestored()  // the connection is back
            report = try await outbox.drain()
            #expect(report.sent == 1)

            let keys = client.requests.map { $0.headers["Idempotency-Key"] }
            #expect(keys == [item.key, item.key])
        }
    }

    @Test("A clip that is posted now stays in the outbox when nobody knows whether it arrived")
    func postedNow() async throws {
        let client = ScriptedHTTPClient([.failure(TransportError(.interrupted)), .answer(status: 201)])
        let outbox = Outbox(in: MemoryStore(), client: client)
        let request = HTTPRequest(.post, server, body: .bytes(Data("{}".utf8)))
        let words =
            switch try await outbox.post(request, label: "Birds") {
            case .sent(let answer): "Posted: \(answer.head.status)"
            case .notSent: "There is no connection. Nothing was sent"
            case .refused(let refusal): "Not accepted: \(refusal)"
            case .setAside(let id, let refusal): "Not accepted: \(refusal). It is in the outbox as item \(id)"
            case .unknown(let id, _): "It waits in the outbox as item \(id), and is repeated under its key"
            case .cancelled(_, mayHaveArrived: let mayHaveArrived):
                mayHaveArrived ? "It may have arrived" : "Nothing arrived"
            }
        #expect(words == "It waits in the outbox as item 1, and is repeated under its key")
        await outbox.retryAll()
        #expect(try await outbox.drainToEnd().sent == 1)
    }

    @Test("What the server refuses waits to be retried, edited or discarded")
    func refused() async throws {
        let client = ScriptedHTTPClient([.answer(status: 422, body: Data("no title".utf8)), .answer(status: 201)])
        let outbox = Outbox(in: MemoryStore(), client: client)
        try await outbox.enqueue(HTTPRequest(.post, server, body: .bytes(Data("{}".utf8))))
        try await outbox.drain()

        for item in try await outbox.items() {
            guard case .refused = item.state else { continue }
            var request = try await outbox.request(of: item.id)
            request.body = .bytes(Data(#"{"title":"Birds"}"#.utf8))
            try await outbox.edit(item.id, to: request)  // or retry(item.id), or discard(item.id)
        }
        let report = try await outbox.drain()
        #expect(report.sent == 1)
    }

    @Test("A sign-in page does not pass for the server's answer")
    func judged() async throws {
        let clip = try JSONEncoder().encode(Clip(title: "Birds"))
        let client = ScriptedHTTPClient([
            .answer(status: 200, body: Data("<html>Welcome to the hotel".utf8)), .answer(status: 201, body: clip),
        ])
        let outbox = Outbox(in: MemoryStore(), client: client, judge: judge)
        try await outbox.enqueue(HTTPRequest(.post, server, body: .bytes(clip)))
        #expect(try await outbox.drain().failed == 1)
        await outbox.retryAll()
        #expect(try await outbox.drain().sent == 1)
    }

    @Test("A queue on disk outlives the process that made it")
    func onDisk() async throws {
        try await withRecording { folder, _ in
            let request = HTTPRequest(.post, server, body: .bytes(Data("{}".utf8)))
            let item = try await Outbox(in: queue(in: folder), client: OfflineClient()).enqueue(request)
            let next = Outbox(in: try queue(in: folder), client: ScriptedHTTPClient([.answer(status: 201)]))
            #expect(try await next.items().map(\.id) == [item.id])
            #expect(try await next.drain().sent == 1)
        }
    }

    @Test("The words say how far an upload is")
    func texts() {
        #expect(words(for: .sending(sent: 250), of: 1000) == "Sending, 25 %")
        #expect(
            words(for: .refused(.server(status: 422, words: "no title")), of: 0) == "Not accepted: status 422: no title"
        )
    }
}
