import Aquifer
import Foundation
import ReferenceAPIs
import Testing

@Suite("The reference audio feed keeps its contract", .timeLimit(.minutes(10)))
struct ReferenceAudioTests {
    @Test("Fourteen clips come newest first, one without an author and one without a waveform", arguments: Way.allCases)
    func list(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let items = try await world.items()
            #expect(items.count == 14 && Set(items.map(\.id)).count == 14)
            #expect(
                items.map { String($0.created_at.prefix(19)) }.sorted(by: >)
                    == items.map { String($0.created_at.prefix(19)) })
            #expect(items.filter { $0.author == nil }.count == 1 && items.filter { $0.waveform == nil }.count == 1)
            #expect(items.allSatisfy { !$0.title.isEmpty && $0.author != "" && $0.duration >= 3 && $0.duration < 60 })
            #expect(items.contains { $0.duration > 40 })
            #expect(items.allSatisfy { $0.audio.absoluteString.hasPrefix("\(world.base.absoluteString)/clips/") })
        }
    }

    @Test("Dates come in the contract's three forms, and all of them can be read")
    func dates() async throws {
        try await AudioWorld.run(.inProcess) { world in
            let dates = try await world.items().map(\.created_at)
            for end in ["Z", "+00:00", "+0000"] { #expect(dates.contains { $0.hasSuffix(end) }) }
            for date in dates {
                // The dates are read as the feature reads them.
                #expect(throws: Never.self, "\(date)") { try Date(date, strategy: .iso8601) }
            }
        }
    }

    @Test("A waveform is 64 values from 0 to 1 with two decimals, and its loudest is 1")
    func waveforms() async throws {
        try await AudioWorld.run(.inProcess) { world in
            for item in try await world.items() {
                guard let waveform = item.waveform else { continue }
                #expect(waveform.count == 64 && waveform.max() == 1 && (waveform.min() ?? -1) >= 0)
                #expect(waveform.allSatisfy { abs($0 * 100 - ($0 * 100).rounded()) < 1e-9 })
            }
        }
    }

    @Test("Every clip is there, is MP3, and the whole of them is small", arguments: Way.allCases)
    func clips(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            var total = 0
            for item in try await world.items() {
                let answer = try await world.get(item.audio)
                #expect(answer.status == 200 && !answer.isCut)
                #expect(answer.headers["Content-Type"] == "audio/mpeg" && answer.headers["Accept-Ranges"] == "bytes")
                #expect(answer.data.starts(with: Data("ID3".utf8)))
                // 32 kbit/s, and a little for the title within.
                #expect(abs(Double(answer.data.count) / 4000 - item.duration) < 0.4, "\(item.title)")
                total += answer.data.count
            }
            #expect(total < 1_000_000)
        }
    }

    @Test("An ETag is sent with the list and with each clip, and a 304 to who still has it", arguments: Way.allCases)
    func etags(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let items = try await world.items()
            var tags: Set<String> = []
            for url in [world.feed] + items.map(\.audio) {
                let tag = try #require(try await world.get(url).headers["ETag"])
                #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
                tags.insert(tag)
                let again = try await world.get(url, ["If-None-Match": tag])
                #expect(again.status == 304 && again.data.isEmpty && again.headers["ETag"] == tag)
                #expect(try await world.get(url, ["If-None-Match": "\"other\""]).status == 200)
            }
            #expect(tags.count == items.count + 1)
        }
    }

    @Test("The list has another ETag once something was posted", arguments: Way.allCases)
    func changedList(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let tag = try #require(try await world.get(world.feed).headers["ETag"])
            _ = try await world.post()
            #expect(try await world.get(world.feed, ["If-None-Match": tag]).status == 200)
        }
    }

    @Test(
        "A range of a clip is that range", arguments: Way.allCases,
        [
            ("bytes=1000-1999", 1000..<2000), ("bytes=0-0", 0..<1), ("bytes=10000-", 10000..<Int.max),
            ("bytes=-5", -5..<0),
        ])
    func range(way: Way, asked: (String, Range<Int>)) async throws {
        try await AudioWorld.run(way) { world in
            let url = try #require(try await world.items().first).audio
            let whole = try await world.get(url).data
            let lower = asked.1.lowerBound < 0 ? whole.count + asked.1.lowerBound : asked.1.lowerBound
            let upper = asked.1.lowerBound < 0 ? whole.count : min(asked.1.upperBound, whole.count)
            let part = try await world.get(url, ["Range": asked.0])
            #expect(part.status == 206 && part.data == whole[lower..<upper])
            #expect(part.headers["Content-Range"] == "bytes \(lower)-\(upper - 1)/\(whole.count)")
            #expect(part.headers["Content-Type"] == "audio/mpeg")
        }
    }

    @Test("A range outside of a clip is 416 with its length", arguments: Way.allCases)
    func outside(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let url = try #require(try await world.items().first).audio
            let length = try await world.get(url).data.count
            let answer = try await world.get(url, ["Range": "bytes=\(length)-"])
            #expect(answer.status == 416 && answer.headers["Content-Range"] == "bytes */\(length)")
        }
    }

    @Test("If-Range gives the range of the version it names, and all of any other", arguments: Way.allCases)
    func ifRange(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let url = try #require(try await world.items().first).audio
            let whole = try await world.get(url)
            let tag = try #require(whole.headers["ETag"])
            let same = try await world.get(url, ["Range": "bytes=500-", "If-Range": tag])
            #expect(same.status == 206 && same.data == whole.data.dropFirst(500))
            for other in ["\"other\"", "W/\(tag)"] {
                let all = try await world.get(url, ["Range": "bytes=500-", "If-Range": other])
                #expect(all.status == 200 && all.data == whole.data)
            }
        }
    }

    @Test("A clip that changed under a download is sent whole, with another ETag", arguments: Way.allCases)
    func changedClip(way: Way) async throws {
        try await AudioWorld.withFolder { folder in
            try await AudioWorld.run(way, folder: folder) { world in
                _ = try await world.post()
                let url = try #require(try await world.items().first).audio
                let tag = try #require(try await world.get(url).headers["ETag"])
                let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
                let sound = try #require(files.compactMap { $0 as? URL }.first { $0.lastPathComponent == "sound" })
                let changed = Data(AudioWorld.sound.reversed())
                try changed.write(to: sound)
                let answer = try await world.get(url, ["Range": "bytes=500-", "If-Range": tag])
                #expect(answer.status == 200 && answer.data == changed && answer.headers["ETag"] != tag)
            }
        }
    }

    @Test("HEAD has the headers and no body, and counts no byte")
    func head() async throws {
        try await AudioWorld.run(.socket) { world in
            let url = try #require(try await world.items().first).audio
            let head = try await world.get(url, method: "HEAD")
            #expect(head.status == 200 && head.data.isEmpty && head.headers["Accept-Ranges"] == "bytes")
            #expect(world.apis.requests(of: .audio).last?.bytes == 0)
            let whole = try await world.get(url)
            #expect(head.headers["Content-Length"] == "\(whole.data.count)")
            #expect(head.headers["ETag"] == whole.headers["ETag"])
        }
    }

    @Test(
        "What is not in the contract is refused with a word",
        arguments: [
            ("GET", "clips/00000000-0000-0000-0000-000000000000.mp3", 404), ("GET", "clips/x.mp3", 404),
            ("GET", "clips/x", 404), ("GET", "clips/..%2Fclips.json", 404), ("GET", "nothing", 404),
            ("PUT", "audio", 405), ("DELETE", "clips/x.mp3", 405),
        ])
    func refusals(method: String, path: String, status: Int) async throws {
        try await AudioWorld.run(.inProcess) { world in
            let url = try #require(URL(string: "\(world.base.absoluteString)/\(path)"))
            #expect(try await world.get(url, method: .init(rawValue: method)).status == status)
        }
    }

    @Test("A clip under another ending, or in small letters, is not there or is the same")
    func names() async throws {
        try await AudioWorld.run(.inProcess) { world in
            let id = try #require(try await world.items().first).id.uuidString
            let clips = world.base.appending(path: "clips")
            #expect(try await world.get(clips.appending(path: "\(id.lowercased()).mp3")).status == 200)
            #expect(try await world.get(clips.appending(path: "\(id).wav")).status == 404)
            #expect(try await world.get(clips.appending(path: id)).status == 404)
        }
    }
}
