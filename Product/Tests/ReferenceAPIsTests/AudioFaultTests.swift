import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import HTTPServer
import ReferenceAPIs
import Testing

@Suite("Faults of the audio feed on demand", .timeLimit(.minutes(10)))
struct AudioFaultTests {
    @Test(
        "A fault has a name, and a name has a fault",
        arguments: [
            ("online", Fault.none), ("offline", .offline), ("slow", .slow), ("failing", .failing),
            ("garbage", .garbage), ("cut", .cut), ("answer-lost", .answerLost), ("stale-blockhash", .staleBlockhash),
            ("cut-at:0", .cutAt(0)),
            ("cut-at:5000", .cutAt(5000)), ("cut-at:18446744073709551615", .cutAt(.max)),
        ])
    func names(name: String, fault: Fault) {
        #expect(Fault(rawValue: name) == fault && fault.rawValue == name)
    }

    @Test(
        "What is no fault's name is none",
        arguments: [
            "", "fire", "none", "cut-at", "cut-at:", "cut-at:-1", "cut-at:+1", "cut-at:x", "cut-at: 1", "cut-at:1:2",
            "cut-at:18446744073709551616", "Cut",
        ])
    func noNames(name: String) {
        #expect(Fault(rawValue: name) == nil)
    }

    @Test("All are listed, and the form of the one that has a number")
    func all() {
        #expect(Fault.allCases.count == 8)
        #expect(Fault.forms.last == "cut-at:BYTES" && Fault.forms.count == 9)
    }

    private func clip(_ world: AudioWorld) async throws -> (url: URL, whole: Data) {
        let url = try #require(try await world.items().last).audio
        return (url, try await world.get(url).data)
    }

    @Test("Offline: no answer to anything, and nothing saved", arguments: Way.allCases)
    func offline(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let url = try await clip(world).url
            world.apis.set(.offline, of: .audio)
            await #expect(throws: TransportError.self) { try await world.get(world.feed) }
            await #expect(throws: TransportError.self) { try await world.get(url) }
            await #expect(throws: TransportError.self) { try await world.post() }
            world.apis.set(.none, of: .audio)
            #expect(try await world.posted().isEmpty)
        }
    }

    @Test("Failing: 503 to everything, after all was sent, and nothing saved", arguments: Way.allCases)
    func failing(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let url = try await clip(world).url
            world.apis.set(.failing, of: .audio)
            #expect(try await world.get(world.feed).status == 503)
            #expect(try await world.get(url).status == 503)
            #expect(try await world.post(sound: AudioWorld.sound + Data(count: 30 << 20)).status == 503)
            world.apis.set(.none, of: .audio)
            #expect(try await world.posted().isEmpty)
        }
    }

    @Test("Garbage: 200 and nonsense under each type, and the post is saved", arguments: Way.allCases)
    func garbage(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            let url = try await clip(world).url
            world.apis.set(.garbage, of: .audio)
            #expect(try await world.get(world.feed).json["items"] as? String == "soon")
            let sound = try await world.get(url)
            #expect(sound.status == 200 && sound.headers["Content-Type"] == "audio/mpeg" && sound.json["items"] != nil)
            let post = try await world.post(key: "k")
            #expect(post.status == 200 && post.id == nil)
            world.apis.set(.none, of: .audio)
            #expect(try await world.posted().count == 1)
        }
    }

    @Test(
        "Answer lost: the post is saved and its connection cut; the same key finds it; all else is answered",
        arguments: Way.allCases)
    func answerLost(way: Way) async throws {
        try await AudioWorld.run(way) { world in
            world.apis.set(.answerLost, of: .audio)
            await #expect(throws: TransportError.self) { try await world.post(title: "Lost", key: "k") }
            let posted = try await world.posted()
            #expect(posted.map(\.title) == ["Lost"])
            #expect(try await world.get(try #require(posted.first).audio).data == AudioWorld.sound)
            #expect(world.apis.requests(of: .audio).first?.status == nil)
            world.apis.set(.none, of: .audio)
            let again = try await world.post(title: "Lost", key: "k")
            #expect(again.status == 201 && again.id == posted.first?.id.uuidString)
            #expect(try await world.posted().count == 1)
        }
    }

    @Test("Cut: half of a clip, of the list and of an answer; the post is saved")
    func cut() async throws {
        try await AudioWorld.run(.socket) { world in
            let (url, whole) = try await clip(world)
            world.apis.set(.cut, of: .audio)
            let half = try await world.get(url)
            #expect(half.isCut && half.data == whole.prefix(whole.count / 2))
            #expect(try await world.get(world.feed).isCut)
            #expect(try await world.post().isCut)
            world.apis.set(.none, of: .audio)
            #expect(try await world.posted().count == 1)
        }
    }

    @Test(
        "Cut at a byte: exactly so many of each body, and all of one that is no longer",
        arguments: [0, 1, 5000, 16_456])
    func cutAt(bytes: Int) async throws {
        try await AudioWorld.run(.socket) { world in
            let (url, whole) = try await clip(world)
            world.apis.set(.cutAt(UInt64(bytes)), of: .audio)
            let start = try await world.get(url)
            #expect(start.status == 200 && start.isCut && start.data == whole.prefix(bytes))
            #expect(start.headers["Content-Length"] == "\(whole.count)")
            let on = try await world.get(url, ["Range": "bytes=\(bytes)-"])
            #expect(on.status == 206 && on.isCut && on.data == whole.dropFirst(bytes).prefix(bytes))
            let list = try await world.get(world.feed)
            #expect(list.data.count == min(bytes, list.data.count) && list.isCut == (bytes < 6000))
            world.apis.set(.cutAt(UInt64(whole.count - 1)), of: .audio)
            #expect(try await world.get(url).data.count == whole.count - 1)
            world.apis.set(.cutAt(UInt64(whole.count)), of: .audio)
            let all = try await world.get(url)
            #expect(!all.isCut && all.data == whole)
        }
    }

    @Test("Asking on after each cut brings every byte once, and the remote's count says so")
    func resuming() async throws {
        try await AudioWorld.run(.socket) { world in
            let url = try #require(try await world.items().first { $0.duration > 40 }).audio
            world.apis.set(.cutAt(50_001), of: .audio)
            var all = Data()
            var tag: String?
            repeat {
                var headers: HTTPHeaders = [:]
                if let tag {
                    headers["Range"] = "bytes=\(all.count)-"
                    headers["If-Range"] = tag
                }
                let answer = try await world.get(url, headers)
                tag = answer.headers["ETag"]
                all += answer.data
                if !answer.isCut { break }
            } while all.count < 2_000_000
            world.apis.set(.none, of: .audio)
            #expect(world.apis.bytesSent(of: .audio) == [url.path(): UInt64(all.count)])
            let requests = world.apis.requests(of: .audio).dropFirst()
            #expect(requests.map(\.range) == [nil, "bytes=50001-", "bytes=100002-", "bytes=150003-"])
            #expect(requests.map(\.status) == [200, 206, 206, 206])
            #expect(requests.map(\.bytes) == [50_001, 50_001, 50_001, UInt64(all.count) &- 150_003])
            #expect(requests.allSatisfy { $0.method == "GET" && $0.path == url.path() })
            #expect(try await world.get(url).data == all)
        }
    }

    @Test("Slow: an answer waits, a clip trickles in eight steps, and arrives whole")
    func slow() async throws {
        let clock = ManualClock()
        let apis = try ReferenceAPIs(clock: clock)
        let target = try await firstClip(apis)
        let whole = try await apis.handler(ServerRequest("GET", target)).collectBody()
        apis.set(.slow, of: .audio)
        let request = Task { await apis.handler(ServerRequest("GET", target)) }
        await clock.waitForSleepers(1)
        #expect(clock.sleepers == [.milliseconds(800)])
        clock.advance(by: .milliseconds(800))
        let response = await request.value
        let pieces = Locked<[Int]>([])
        let trickling = Task {
            try await response.collectBody { count in pieces.withLock { $0.append(count) } }
        }
        for _ in 0..<8 {
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(150))
        }
        #expect(try await trickling.value == whole)
        #expect(pieces.withLock { $0.count } == 9 - (whole.count.isMultiple(of: 8) ? 1 : 0))
    }

    @Test("Slow: what is posted is read slowly, and saved")
    func slowPost() async throws {
        let clock = ManualClock()
        let apis = try ReferenceAPIs(clock: clock)
        apis.set(.slow, of: .audio)
        let form = AudioWorld.form([.metadata(#"{"title":"a"}"#), .audio(AudioWorld.sound + Data(count: 81_068))])
        let request = Task {
            await apis.handler(
                ServerRequest(
                    "POST", "/audio/v1/audio", headers: ["Content-Type": "multipart/form-data; boundary=frontier"],
                    body: form))
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(800))
        await clock.waitForSleepers(1)
        #expect(clock.sleepers.allSatisfy { $0 > .milliseconds(290) && $0 < .milliseconds(310) })
        clock.advance(by: .seconds(1))
        #expect(await request.value.status == 201)
    }

    @Test("The last two hundred requests are remembered, and what was sent of each file since the beginning")
    func log() async throws {
        let apis = try ReferenceAPIs()
        let target = try await firstClip(apis)
        for number in 0..<250 {
            let response = await apis.handler(
                ServerRequest("GET", "\(target)?q=secret", headers: ["Range": "bytes=\(number)-\(number)"]))
            #expect(try await response.collectBody().count == 1)
        }
        let requests = apis.requests(of: .audio)
        #expect(requests.map(\.range) == (50..<250).map { "bytes=\($0)-\($0)" })
        #expect(requests.allSatisfy { $0.status == 206 && $0.bytes == 1 && $0.path == target })
        #expect(apis.bytesSent(of: .audio) == [target: 250])
        #expect(apis.transfers(of: .audio).completed == 251 && apis.transfers(of: .audio).active == 0)
        #expect(apis.requests(of: .feed).isEmpty)
    }

    @Test("A clip that nobody reads to its end is counted as far as it went, and as cut")
    func left() async throws {
        let apis = try ReferenceAPIs()
        let target = try await firstClip(apis)
        struct Gone: Error {}
        let response = await apis.handler(ServerRequest("GET", target))
        guard case .stream(_, let produce) = response.body else {
            Issue.record("a clip is counted as it goes")
            return
        }
        await #expect(throws: ServerStreamError.closed) {
            try await produce(ServerResponseWriter { _ throws(ServerStreamError) in throw .closed })
        }
        #expect(apis.bytesSent(of: .audio) == [target: 0])
        #expect(apis.transfers(of: .audio).cut == 1 && apis.transfers(of: .audio).active == 0)
    }

    private func firstClip(_ apis: ReferenceAPIs) async throws -> String {
        let list = try await apis.handler(ServerRequest("GET", "/audio/v1/audio")).collectBody()
        let items = try #require(try JSONSerialization.jsonObject(with: list) as? [String: [[String: Any]]])["items"]
        let address = try #require(items?.last?["audio"] as? String)
        return try #require(URL(string: address)).path()
    }
}

extension ServerResponse {
    /// The whole body, telling of each piece.
    fileprivate func collectBody(_ tell: @escaping @Sendable (Int) -> Void) async throws -> Data {
        guard case .stream(_, let produce) = body else { return try await collectBody() }
        let whole = Locked(Data())
        try await produce(
            ServerResponseWriter { data throws(ServerStreamError) in
                tell(data.count)
                whole.withLock { $0.append(data) }
            })
        return whole.withLock { $0 }
    }
}
