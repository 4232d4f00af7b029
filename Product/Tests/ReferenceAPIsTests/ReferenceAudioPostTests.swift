import Aquifer
import AquiferConcurrency
import Foundation
import Testing

@testable import ReferenceAPIs

@Suite("What is posted to the reference audio feed is saved once", .timeLimit(.minutes(10)))
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
}
