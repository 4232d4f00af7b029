import Aquifer
import Foundation
import HTTPServer
import Testing

@testable import ReferenceAPIs

@Suite("What is not to be saved is refused, and what is large is not held in memory", .timeLimit(.minutes(10)))
struct ReferenceAudioRefusalTests {
    @Test(
        "Metadata that is not what the contract says is refused with a word, and nothing is saved",
        arguments: [
            (#"{"title":""}"#, 422), (#"{"title":" \n "}"#, 422), (#"{}"#, 422), (#"{"title":7}"#, 422),
            (#"{"title":null}"#, 422), (#"{"title":"a","author":7}"#, 422), (#"{"title":"a","duration":-1}"#, 422),
            (#"{"title":"a","duration":"1"}"#, 422), (#"{"title":"a","duration":1e9}"#, 422),
            (#"{"title":"a","waveform":[2]}"#, 422), (#"{"title":"a","waveform":["x"]}"#, 422),
            (#"{"title":"a","waveform":7}"#, 422), (#"["title"]"#, 400), ("title", 400), ("", 400),
        ])
    func badMetadata(json: String, status: Int) async throws {
        try await AudioWorld.run(.inProcess) { world in
            let answer = try await world.post([.metadata(json), .audio(AudioWorld.sound)], key: "k")
            #expect(answer.status == status && answer.error != nil)
            #expect(try await world.posted().isEmpty)
            // A refusal takes no key.
            #expect(try await world.post(key: "k").status == 201)
        }
    }

    @Test("A title has at most 200 characters, whatever they take in bytes", arguments: Way.allCases)
    func longTitle(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let longest = String(repeating: "👩‍👩‍👧‍👦", count: 200)
            let fits = try await world.post(title: longest)
            let refused = try await world.post(title: longest + "a")
            #expect(fits.status == 201 && fits.json["title"] as? String == longest)
            #expect(refused.status == 422 && refused.error == "title must have at most 200 characters")
        }
    }

    @Test(
        "What is no form, or lacks a part, or has one twice, or is cut, is refused with a word", arguments: Way.allCases
    )
    func badForms(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let metadata = AudioWorld.Part.metadata(#"{"title":"a"}"#)
            let audio = AudioWorld.Part.audio(AudioWorld.sound)
            let refusals: [(AudioWorld.Answer, Int, String)] = [
                (try await world.post([metadata, audio], type: "application/json"), 415, "send multipart/form-data"),
                (try await world.post([metadata, audio], type: nil), 415, "send multipart/form-data"),
                (try await world.post([metadata]), 400, "the part audio is missing"),
                (try await world.post([audio]), 400, "the part metadata is missing"),
                (try await world.post([]), 400, "the part metadata is missing"),
                (try await world.post([metadata, audio, metadata]), 400, "the part metadata came twice"),
                (try await world.post([audio, audio, metadata]), 400, "the part audio came twice"),
                (
                    try await world.post([metadata, audio], type: "multipart/form-data; boundary=other"), 400,
                    "the multipart body ends before its closing boundary"
                ),
                (
                    try await world.post([.metadata(String(repeating: " ", count: 65_537)), audio]), 413,
                    "a part takes more than 65536 bytes"
                ),
                (try await world.post(key: ""), 400, "Idempotency-Key must have 1 to 255 characters"),
            ]
            for (answer, status, message) in refusals {
                #expect(answer.status == status && answer.error == message)
            }
            #expect(try await world.posted().isEmpty)
        }
    }

    @Test("A body that ends amid the sound saves nothing, and the key stays free")
    func cutUpload() async throws {
        try await AudioWorld.withFolder { folder in
            let apis = try ReferenceAPIs(directory: folder)
            let form = AudioWorld.form([.metadata(#"{"title":"a"}"#), .audio(AudioWorld.sound)])
            let headers: HTTPHeaders = [
                "Content-Type": "multipart/form-data; boundary=frontier", "Idempotency-Key": "k",
            ]
            for length in [0, 200, 20_000, form.count - 6] {
                let answer = await apis.handler(
                    ServerRequest("POST", "/audio/v1/audio", headers: headers, body: form.prefix(length)))
                #expect(answer.status == 400)
            }
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(names == ["arriving"])
            let whole = await apis.handler(ServerRequest("POST", "/audio/v1/audio", headers: headers, body: form))
            #expect(whole.status == 201)
        }
    }

    @Test("A sound that is too large is 413, and one as large as allowed is saved")
    func tooLarge() async throws {
        let store = ClipStore(folder: nil, now: { Date(timeIntervalSince1970: 0) })
        let audio = try ReferenceAudio(media: try Media("audio"), store: store, largestSound: 1000)
        for (size, status) in [(1000, 201), (1001, 413)] {
            let form = AudioWorld.form([.audio(AudioWorld.sound.prefix(size)), .metadata(#"{"title":"a"}"#)])
            let answer = await audio.handler(
                ServerRequest(
                    "POST", "/audio/v1/audio", headers: ["Content-Type": "multipart/form-data; boundary=frontier"],
                    body: form))
            #expect(answer.status == status, "\(size) bytes")
        }
        #expect(try store.clips().count == 1)
    }

    @Test("What announces more than the server takes is refused before it is sent")
    func announcedTooLarge() async throws {
        try await AudioWorld.withFolder { folder in
            try await AudioWorld.run(.socket, folder: folder) { world in
                let file = try Self.sparseFile(in: folder, length: 5 << 30)
                let body = HTTPBody(parts: [.file(file, offset: 0, length: 5 << 30)])
                do {
                    #expect(try await world.send(HTTPRequest(.post, world.feed, body: body)).status == 413)
                } catch let error as TransportError {
                    // A client that goes on sending finds the connection closed, perhaps before it reads the answer.
                    #expect(error.kind == .interrupted)
                }
                #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "arriving").path))
            }
        }
    }

    /// A file that begins as a clip does, and takes no room.
    private static func sparseFile(in folder: URL, length: UInt64) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "large")
        try AudioWorld.sound.write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: length)
        try handle.close()
        return file
    }

    @Test("A refusal reaches who sends much, after all is sent", arguments: [400, 415, 422])
    func refusalOfMuch(status: Int) async throws {
        try await AudioWorld.run(.socket) { world in
            let much = Data(count: 40 << 20)
            let answer =
                switch status {
                case 415: try await world.post([.audio(much)], type: "text/plain")
                case 422: try await world.post([.metadata(#"{"title":"a"}"#), .audio(much)])
                default: try await world.post([.metadata("{"), .audio(much)])
                }
            #expect(answer.status == status && answer.error != nil)
        }
    }

    #if os(Linux)
        // The test runs in a process of its own: other tests have memory, too.
        @Test("An upload of 64 MB is saved whole, and never whole in memory")
        func memory() async {
            await #expect(processExitsWith: .success) {
                try await AudioWorld.withFolder { folder in
                    let length: UInt64 = 64 << 20
                    let file = try Self.sparseFile(in: folder, length: length)
                    let form = AudioWorld.form([.metadata(#"{"title":"a"}"#), .audio(Data())])
                    let tail = Data("\r\n--frontier--\r\n".utf8)
                    let body = HTTPBody(parts: [
                        .bytes(form.dropLast(tail.count)), .file(file, offset: 0, length: length), .bytes(tail),
                    ])
                    try await AudioWorld.run(.socket, folder: folder) { world in
                        _ = try await world.post()
                        let before = try #require(mostMemory())
                        let answer = try await world.send(
                            HTTPRequest(
                                .post, world.feed,
                                headers: ["Content-Type": "multipart/form-data; boundary=frontier"], body: body))
                        #expect(answer.status == 201)
                        let grown = try #require(mostMemory()) - before
                        #expect(grown < 16 << 20, "grew by \(grown >> 20) MB")
                        let url = try #require(try await world.items().first).audio
                        let head = try await world.get(url, method: "HEAD")
                        #expect(head.headers["Content-Length"] == "\(length)")
                    }
                }
            }
        }
    #endif
}

/// The most memory that the process ever had, in bytes, on Linux.
private func mostMemory() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 << 10 }
}
