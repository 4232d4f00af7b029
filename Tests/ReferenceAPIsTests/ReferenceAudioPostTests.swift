import Aquifer
import Foundation
import HTTPServer
import Testing

@testable import ReferenceAPIs

@Suite("What is posted to the reference audio feed is saved once", .timeLimit(.minutes(2)))
struct ReferenceAudioPostTests {
    @Test(
        "A clip that is posted comes back as its item, is first in the list, and sounds the same",
        arguments: Way.allCases)
    func post(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let answer = try await world.post([
                .metadata(#"{"title":" Café ☕ ","author":"Ana","duration":1.5,"waveform":[0,0.25,1]}"#),
                .audio(AudioWorld.sound),
            ])
            #expect(answer.status == 201 && answer.headers["Content-Type"] == "application/json")
            let item = try JSONDecoder().decode(AudioWorld.Item.self, from: answer.data)
            #expect(item.title == "Café ☕" && item.author == "Ana" && item.duration == 1.5)
            #expect(item.waveform == [0, 0.25, 1] && item.created_at.hasPrefix("2026-11-18T11:06:40"))
            #expect(try await world.items().first == item)
            let sound = try await world.get(item.audio, ["Range": "bytes=10-"])
            #expect(sound.status == 206 && sound.data == AudioWorld.sound.dropFirst(10))
        }
    }

    @Test(
        "Metadata may come after the sound, with parts that nobody knows, and nothing but a title",
        arguments: Way.allCases)
    func otherOrder(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let other = AudioWorld.Part(head: "Content-Disposition: form-data; name=\"x\"", data: Data(count: 99))
            let answer = try await world.post([
                other, .audio(AudioWorld.sound), other, .metadata(#"{"title":"T","author":null,"waveform":null}"#),
            ])
            #expect(answer.status == 201 && answer.json["author"] == nil && answer.json["waveform"] == nil)
        }
    }

    @Test(
        "Posts are listed in the order they came, the last first, though the clock stands still",
        arguments: Way.allCases)
    func order(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            for number in 0..<9 { _ = try await world.post(title: "Clip \(number)") }
            #expect(try await world.posted().map(\.title) == (0..<9).reversed().map { "Clip \($0)" })
        }
    }

    @Test("The same key is the same item, whatever comes with it, and 201 again", arguments: Way.allCases)
    func sameKey(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let first = try await world.post(title: "One", key: "k")
            let second = try await world.post(title: "Two", key: "k", sound: Data(count: 3))
            #expect(first.status == 201 && second.status == 201 && second.data == first.data)
            #expect(try await world.posted().map(\.title) == ["One"])
        }
    }

    @Test("Another key, and none, is another item; and keys may be any text", arguments: Way.allCases)
    func otherKeys(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let keys: [String?] = ["a", "A", "../../a", "a/b", String(repeating: "k", count: 255), nil, nil]
            var ids: Set<String?> = []
            for key in keys { ids.insert(try await world.post(key: key).id) }
            #expect(ids.count == keys.count && !ids.contains(nil))
            #expect(try await world.posted().count == keys.count)
        }
    }

    @Test("Twenty posts of one key at once are one item", arguments: Way.allCases)
    func concurrent(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<20 { group.addTask { try await world.post(title: "\(number)", key: "same").id } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 1 && !ids.contains(nil))
            #expect(try await world.posted().count == 1)
        }
    }

    @Test("Twenty keys at once are twenty items, and nothing is left of how they came")
    func concurrentKeys() async throws {
        try await AudioWorld.withFolder { folder in
            try await AudioWorld.run(.socket, folder: folder) { world in
                let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                    for number in 0..<20 { group.addTask { try await world.post(key: "\(number)").id } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(ids.count == 20)
                #expect(try await world.posted().count == 20)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "arriving").path)
            #expect(left.isEmpty)
        }
    }

    @Test(
        "A remote that is started again on its folder has its clips, their order and their keys",
        arguments: Way.allCases)
    func restart(way: Way) async throws {
        try await AudioWorld.withFolder { folder in
            let before = Locked<[AudioWorld.Item]>([])
            try await AudioWorld.run(way, folder: folder) { world in
                for number in 0..<5 { _ = try await world.post(title: "\(number)", key: "key \(number)") }
                let items = try await world.posted()
                before.withLock { $0 = items }
            }
            try await AudioWorld.run(way, folder: folder) { world in
                let known = before.withLock { $0 }
                let again = try await world.post(title: "other", key: "key 3")
                #expect(again.status == 201 && again.id == known[1].id.uuidString)
                #expect(try await world.posted().map(\.id) == known.map(\.id))
                #expect(try await world.get(world.posted()[4].audio).data == AudioWorld.sound)
                _ = try await world.post(title: "5")
                #expect(try await world.posted().map(\.title) == ["5", "4", "3", "2", "1", "0"])
            }
        }
    }

    @Test("Two remotes on one folder, as two processes have them, save one key once and see each other's clips")
    func twoRemotes() async throws {
        try await AudioWorld.withFolder { folder in
            try await AudioWorld.run(.inProcess, folder: folder) { one in
                try await AudioWorld.run(.inProcess, folder: folder) { other in
                    let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                        for number in 0..<20 {
                            group.addTask { try await (number.isMultiple(of: 2) ? one : other).post(key: "same").id }
                        }
                        return try await group.reduce(into: Set()) { $0.insert($1) }
                    }
                    #expect(ids.count == 1)
                    let mine = try await one.posted()
                    #expect(mine.count == 1)
                    #expect(try await other.posted() == mine)
                }
            }
        }
    }

    @Test("Without a folder nothing is kept, and nothing is left")
    func temporary() async throws {
        try await AudioWorld.run(.inProcess) { world in
            _ = try await world.post()
            #expect(try await world.posted().count == 1)
        }
        try await AudioWorld.run(.inProcess) { world in
            let posted = try await world.posted()
            #expect(posted.isEmpty)
        }
        var store: ClipStore? = ClipStore(folder: nil, now: { Date(timeIntervalSince1970: 0) })
        let sound = try #require(try store?.begin()).sound
        #expect(FileManager.default.fileExists(atPath: sound.path))
        store = nil
        #expect(!FileManager.default.fileExists(atPath: sound.path))
    }

    @Test("A folder that cannot be written is a 500 that says so, and a clip that is spoilt is never listed as good")
    func badFolder() async throws {
        try await AudioWorld.withFolder { folder in
            try Data("a file".utf8).write(to: folder)
            try await AudioWorld.run(.inProcess, folder: folder.appending(path: "below")) { world in
                let answer = try await world.post()
                #expect(answer.status == 500 && answer.error?.hasPrefix("the clip could not be saved: ") == true)
            }
        }
        try await AudioWorld.withFolder { folder in
            let clip = folder.appending(path: "clips/torn")
            try FileManager.default.createDirectory(at: clip, withIntermediateDirectories: true)
            try Data(#"{"id":"#.utf8).write(to: clip.appending(path: "clip.json"))
            try await AudioWorld.run(.inProcess, folder: folder) { world in
                let answer = try await world.get(world.feed)
                #expect(answer.status == 500 && answer.error?.contains("clips/torn cannot be read") == true)
            }
        }
    }

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
            let apis = try ReferenceAPIs(folder: folder)
            let form = AudioWorld.form([.metadata(#"{"title":"a"}"#), .audio(AudioWorld.sound)])
            let headers: ServerHeaders = [
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
                    // Who goes on sending finds the connection closed, and may find that before the answer.
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
        // In a process of its own: other tests have memory, too.
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
