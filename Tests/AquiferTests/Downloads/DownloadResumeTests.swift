import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("A download that was cut", .timeLimit(.minutes(10)))
struct DownloadResumeTests {
    private let content = Data.noise(700_000)
    private let block = 256 << 10

    @Test(
        "goes on where it was cut, within the retry policy: each byte is fetched once",
        arguments: [1, 262_144, 300_000])
    func retries(cut: Int) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [cut, cut] }
            let client = remote.client
            let file = try await world.downloads(client, retry: world.retry(2)).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(remote.sentEachByteOnce)
            #expect(client.requests.map { $0.headers["Range"] } == [nil, "bytes=\(cut)-", "bytes=\(2 * cut)-"])
            #expect(client.requests.map { $0.headers["If-Range"] } == [nil, "\"1\"", "\"1\""])
            #expect(client.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
        }
    }

    @Test(
        "begins again when what the server gave to resume by cannot be sent back", arguments: ["ETag", "Last-Modified"])
    func unfitTag(_ field: String) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { state in
                state.fields = [field: "\"a\rb\"", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]
                state.cuts = [300_000]
            }
            let client = remote.client
            let file = try await world.downloads(client, retry: world.retry(2)).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(file.validators.isEmpty)
            #expect(
                client.requests.map { $0.headers.fields.map(\.name) } == [["Accept-Encoding"], ["Accept-Encoding"]])
        }
    }

    private static let day = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "begins again if the answer to its rest names another version than the one asked for, by tag or by date, or none",
        arguments: [
            ("\"1\"", ["ETag": "\"1\""], true), ("\"1\"", [:], nil), ("\"1\"", ["ETag": "\"2\""], false),
            ("\"1\"", ["Last-Modified": day], nil), (day, ["Last-Modified": day], true), (day, [:], nil),
            (day, ["Last-Modified": "Mon, 07 Nov 1994 08:49:37 GMT"], false), (day, ["ETag": "\"2\""], nil),
        ] as [(String, [String: String], Bool?)])
    func otherVersion(tag: String, fields: [String: String], goesOn: Bool?) throws {
        let url = try #require(URL(string: "http://audio.example/1.mp3"))
        func answer(_ status: Int, _ range: String, from start: Int) -> DownloadAnswer {
            var headers: HTTPHeaders = ["Content-Range": range]
            for (name, value) in fields { headers[name] = value }
            let head = HTTPResponseHead(status: status, headers: headers, url: url)
            return DownloadAnswer(head, to: .rest(from: start, tag: tag, total: 10))
        }
        #expect(answer(206, "bytes 5-9/10", from: 5) == (goesOn == true ? .rest(end: 10, total: 10) : .startOver))
        #expect(answer(416, "bytes */10", from: 10) == (goesOn != false ? .nothingLeft : .startOver))
    }

    @Test(
        "begins again if an answer has two tags, two dates or two ranges",
        arguments: ["ETag", "Last-Modified", "Content-Range"])
    func twoValues(_ field: String) throws {
        let url = try #require(URL(string: "http://audio.example/1.mp3"))
        let fields: HTTPHeaders = [
            "ETag": "\"1\"", "Last-Modified": Self.day, "Content-Range": "bytes 5-9/10",
            "Date": "Sun, 06 Nov 1994 08:49:39 GMT",
        ]
        let others = ["\"2\"", "Mon, 07 Nov 1994 08:49:37 GMT", "bytes 5-8/10"]
        let other = try #require(zip(["ETag", "Last-Modified", "Content-Range"], others).first { $0.0 == field }).1
        let tag = field == "Last-Modified" ? Self.day : "\"1\""
        for (value, isOne) in [(fields[field] ?? "", true), (other, false)] {
            var head = HTTPResponseHead(status: 206, headers: fields, url: url)
            head.headers.add(field, value)
            let answer = DownloadAnswer(head, to: .rest(from: 5, tag: tag, total: 10))
            #expect(answer == (isOne ? .rest(end: 10, total: 10) : .startOver))
            guard field != "Content-Range" else { continue }
            if field == "Last-Modified" { head.headers["ETag"] = nil }
            #expect(head.resumeTag == (isOne ? tag : nil))
            #expect((field == "ETag" ? Validators(head).etag : Validators(head).lastModified) == (isOne ? tag : nil))
            head.status = 416
            head.headers["Content-Range"] = "bytes */10"
            let end = DownloadAnswer(head, to: .rest(from: 10, tag: tag, total: 10))
            #expect(end == (isOne ? .nothingLeft : .startOver))
        }
    }

    @Test("goes on in another process: each byte is fetched once", arguments: [1, 262_144, 300_000, 699_999])
    func restarts(cut: Int) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [cut] }
            let error = try await world.failure(remote.client)
            #expect(error == .connectivity(TransportError(.interrupted)))
            let file = try await world.downloads(remote.client).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(remote.sentEachByteOnce)
        }
    }

    @Test("tries that bring bytes do not count; those that bring none do")
    func countsTries() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [100, 100, 100, 100, 0] }
            let client = remote.client
            let error = try await world.failure(client, retry: world.retry(2))
            #expect(error?.isConnectivity == true)
            #expect(client.requests.count == 5)
        }
    }

    @Test(
        "ends after as many attempts as it may make when it is begun anew each time",
        arguments: ["no validator", "another version each time", "a bare 416", "a part from elsewhere"])
    func begunAnew(_ server: String) async throws {
        try await DownloadWorld.with { world in
            let answers = Locked(0)
            let client = ScriptedHTTPClient { [content] request in
                let number = answers.withLock { number in
                    number += 1
                    return number
                }
                guard number < 50 else { return .failure(TransportError(.cannotConnect)) }
                if request.headers["Range"] != nil, server == "a bare 416" { return .answer(status: 416) }
                if request.headers["Range"] != nil, server == "a part from elsewhere" {
                    return .answer(
                        status: 206, headers: ["Content-Range": "bytes 7-16/700000", "ETag": "\"1\""],
                        body: Data(count: 10))
                }
                var headers: HTTPHeaders = ["Content-Length": "700000"]
                headers["ETag"] =
                    [
                        "no validator": nil, "another version each time": "\"\(number)\"",
                    ][server, default: "\"1\""]
                // Cut at other bytes each time, but never later than the first time.
                let cut = content.prefix(300_000 - 1000 * number)
                return .stream(headers: headers, chunks: [cut], error: TransportError(.interrupted))
            }
            let error = try await world.failure(client, retry: world.retry(3))
            #expect(error == .connectivity(TransportError(.interrupted)))
            #expect(client.requests.filter { $0.headers["Range"] == nil }.count <= 4)
        }
    }

    @Test("waits longer each time, even if each attempt brings something")
    func longerWaits() async throws {
        try await DownloadWorld.with { world in
            let client = FileRemote(content) { $0.cuts = [1, 1, 1, 1, 1] }.client
            let randoms = Locked([1, 1, 0.1, 1, 1])
            let retry = RetryPolicy(
                attempts: 2, clock: world.clock, random: { randoms.withLock { $0.removeFirst() } })
            let downloads = try world.downloads(client, retry: retry)
            let load = Task { try await downloads.file(for: world.url).length }
            for wait in [300, 600, 600, 2400, 4800] {
                await world.clock.waitForSleepers(1)
                #expect(world.clock.sleepers == [.milliseconds(wait)])
                world.clock.advance(by: .milliseconds(wait))
            }
            #expect(try await load.value == content.count)
        }
    }

    @Test("goes on after being killed from what its journal vouches for: the last whole block")
    func killed() async throws {
        try await DownloadWorld.with { world in
            let (download, _) = try await world.begunDownload(ScriptedHTTPClient(), of: content)
            defer { download.cancel() }
            // A process that is killed now leaves the disk as it is now.
            let copy = world.folder.appendingPathExtension("copy")
            try FileManager.default.copyItem(at: world.folder, to: copy)
            let remote = FileRemote(content)
            let after = remote.client
            let file = try await world.downloads(after, in: copy).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(after.requests.map { $0.headers["Range"] } == ["bytes=\(block)-"])
        }
    }

    @Test("killed as it became whole, it is whole, and the journal left behind harms nothing")
    func killedAtTheEnd() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let journal = try #require(try world.files(".part").first)
            let left = try Data(contentsOf: journal)
            _ = try await world.downloads(remote.client).file(for: world.url)
            try left.write(to: journal)
            world.date.advance(by: Duration.days(8).timeInterval)
            let client = remote.client
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(client.requests.map { $0.headers["If-None-Match"] } == ["\"1\""])
        }
    }

    @Test("killed between its last byte and its becoming whole, it asks for nothing more")
    func wholeButNotPut() async throws {
        try await DownloadWorld.with { world in
            // The answer is cut behind the last byte: the end of the body never came.
            let remote = FileRemote(content) { $0.cuts = [content.count] }
            _ = try await world.failure(remote.client)
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.isEmpty)
        }
    }

    @Test("that came whole and could not be put in its place asks for nothing more once it can")
    func couldNotBePut() async throws {
        try await DownloadWorld.with { world in
            let (download, exchange) = try await world.begunDownload(ScriptedHTTPClient(), of: content)
            let record = try world.files(".part")[0].deletingPathExtension().appendingPathExtension("info")
            try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
            exchange.send(content[300_000...])
            exchange.finish()
            await #expect(throws: DownloadError.self) { try await download.file() }
            try FileManager.default.removeItem(at: record)
            let after = ScriptedHTTPClient([])
            #expect(try await world.downloads(after).file(for: world.url).all() == content)
            #expect(after.requests.isEmpty)
        }
    }

    @Test("does not go on from bytes of another URL that lie in its place")
    func anotherURL() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let other = try #require(URL(string: "http://audio.example/2.mp3"))
            let (old, new) = (
                DownloadFolder.name(of: world.url.absoluteString), DownloadFolder.name(of: other.absoluteString)
            )
            for file in try world.files("") where file.lastPathComponent.hasPrefix(old) {
                let name = file.lastPathComponent.replacing(old, with: new)
                try FileManager.default.moveItem(at: file, to: world.folder.appendingPathComponent(name))
            }
            #expect(try world.files(".part").map { $0.lastPathComponent } == ["\(new).part"])
            let client = FileRemote(Data.noise(700_000, seed: 2)).client
            #expect(try await world.downloads(client).file(for: other).all() == Data.noise(700_000, seed: 2))
            #expect(client.requests.map { $0.headers["Range"] } == [nil])
        }
    }

    @Test(
        "begins again if a redirect leads its rest to another address than the one that gave the tag, but for the query of a signed link",
        arguments: [
            ("a.example/1?key=1", "a.example/1?key=2", "\"1\"", true), ("a.example/1", "a.example/2", "\"1\"", false),
            ("a.example/1", "b.example/1", "\"1\"", false), ("audio.example/1.mp3", "a.example/1", "\"1\"", false),
            ("a.example/1", "audio.example/1.mp3", "\"1\"", false), ("a.example/1?v=1", "a.example/1?v=1", day, true),
            ("a.example/1?v=1", "a.example/1?v=2", day, false),
        ])
    func redirected(first: String, second: String, tag: String, goesOn: Bool) async throws {
        try await DownloadWorld.with { world in
            let fields: HTTPHeaders = [
                tag == Self.day ? "Last-Modified" : "ETag": tag, "Date": "Sun, 06 Nov 1994 08:49:39 GMT",
            ]
            let newer = Data.noise(10, seed: 2)
            let client = ScriptedHTTPClient([.held, .held, .answer(headers: fields, body: newer)])
            async let cut = world.failure(client)
            let beginning = await client.exchange(0)
            beginning.start(headers: fields, from: URL(string: "http://\(first)"))
            beginning.send(content.prefix(300_000))
            beginning.fail(TransportError(.interrupted))
            let error = try await cut
            #expect(error == .connectivity(TransportError(.interrupted)))

            async let file = world.downloads(client).file(for: world.url)
            let rest = await client.exchange(1)
            #expect(rest.request.headers["Range"] == "bytes=300000-")
            var headers = fields
            headers["Content-Range"] = "bytes 300000-699999/700000"
            rest.start(status: 206, headers: headers, from: URL(string: "http://\(second)"))
            rest.send(content[300_000...])
            rest.finish()
            let isRight = try await file.all() == (goesOn ? content : newer)
            #expect(isRight)
            #expect(client.requests.count == (goesOn ? 2 : 3))
        }
    }

    @Test("begins again when the content has changed on the server")
    func changed() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let newer = Data.noise(600_000, seed: 2)
            remote.change { ($0.content, $0.fields["ETag"]) = (newer, "\"2\"") }
            let client = remote.client
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == newer)
            #expect(file.validators.etag == "\"2\"")
            #expect(client.requests.count == 1 && client.requests[0].headers["If-Range"] == "\"1\"")
            #expect(try world.counts == [".part": 0, ".data": 1])
        }
    }

    @Test("begins again when the server does not know ranges")
    func noRanges() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) {
                $0.cuts = [300_000]
                $0.knowsRanges = false
            }
            let file = try await world.downloads(remote.client, retry: world.retry(2)).file(for: world.url)
            #expect(try await file.all() == content)
        }
    }

    @Test(
        "is resumed by a strong ETag, or by a date a second older than the answer, and else begins again",
        arguments: [
            (["ETag": "\"1\""], true), (["ETag": "W/\"1\""], false), (["ETag": "1"], false), ([:], false),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"], false),
            (["Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT"], false),
            (
                [
                    "ETag": "W/\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:36 GMT",
                    "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
                ], false
            ),
        ] as [([String: String], Bool)])
    func validators(fields: [String: String], isResumed: Bool) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { state in
                state.cuts = [300_000]
                state.fields = HTTPHeaders(fields.map { HTTPHeaders.Field($0.key, $0.value) })
            }
            _ = try await world.failure(remote.client)
            let left = try world.files(".data")
            #expect(left.isEmpty == !isResumed)
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == [isResumed ? "bytes=300000-" : nil])
            #expect(remote.sentEachByteOnce == isResumed)
        }
    }

    @Test(
        "begins again when the part that comes is not the one that is missing",
        arguments: [
            ["Content-Range": "bytes 299999-699999/700000"], ["Content-Range": "bytes 300000-700000/700001"],
            ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"2\""], [:],
            ["Content-Range": "bytes 300000-"], ["Content-Range": "lines 300000-699999/700000"],
            ["Content-Range": "bytes 300000-700000/*"],
        ])
    func wrongPart(fields: [String: String]) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let client = ScriptedHTTPClient { request in
                guard request.headers["Range"] != nil else { return remote.reply(to: request) }
                let fields = HTTPHeaders(fields.map { HTTPHeaders.Field($0.key, $0.value) })
                return .answer(status: 206, headers: fields, body: Data(count: 400_000))
            }
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-", nil])
        }
    }

    @Test(
        "is whole behind a server that sends the rest with status 200, and goes on with that where it is the rest for certain",
        arguments: [
            ("bytes 300000-699999/700000", "\"1\"", true), ("bytes 300000-699999/700000", nil, false),
            ("bytes 300000-699999/700000", "\"2\"", false), ("bytes 300000-699999/*", "\"1\"", true),
            ("bytes 200000-599999/700000", "\"1\"", false),
        ] as [(String, String?, Bool)])
    func partAsWhole(range: String, tag: String?, goesOn: Bool) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let client = ScriptedHTTPClient { [content] request in
                guard request.headers["Range"] != nil else { return remote.reply(to: request) }
                var headers: HTTPHeaders = ["Content-Range": range, "Content-Length": "400000"]
                headers["ETag"] = tag
                return .answer(headers: headers, body: content[300_000...])
            }
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-"] + (goesOn ? [] : [nil]))
        }
    }

    @Test(
        "goes on with a part that says nothing but its range and tag, although the check looks at its type",
        arguments: [false, true])
    func bareParts(inAnotherProcess: Bool) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            let client = ScriptedHTTPClient { [content] request in
                guard request.headers["Range"] != nil else { return remote.reply(to: request) }
                return .answer(
                    status: 206, headers: ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"1\""],
                    body: content[300_000...])
            }
            let check: Downloads.Check = { head, _ in
                guard head.mediaType == "audio/mpeg" else { throw InvalidData.mediaType(head.mediaType) }
            }
            if inAnotherProcess { _ = try await world.failure(client, check: check) }
            let file = try await world.downloads(client, retry: world.retry(2), check: check).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == [nil, "bytes=300000-"])
        }
    }

    @Test(
        "begins again after a part that is coded, too long, or refused by the check",
        arguments: [["Content-Encoding": "gzip"], ["X-Long": "1"], ["X-Checked": "1"]])
    func unusableParts(fields: [String: String]) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let client = ScriptedHTTPClient { [content] request in
                guard request.headers["Range"] != nil else { return remote.reply(to: request) }
                var headers: HTTPHeaders = ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"1\""]
                for (name, value) in fields { headers[name] = value }
                return .stream(
                    status: 206, headers: headers,
                    chunks: [content[300_000...] + Data(count: fields["X-Long"] == nil ? 0 : 1)])
            }
            remote.change { $0.fields["X-Later"] = "1" }
            let check: Downloads.Check = { head, _ in
                guard fields["X-Checked"] == nil || head.headers["X-Later"] != nil else {
                    throw InvalidData.body("early")
                }
            }
            #expect(try await world.downloads(client, check: check).file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-", nil])
        }
    }

    @Test("is whole when the server has nothing behind what is there, and its length was never told")
    func nothingLeft() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) {
                $0.cuts = [content.count]
                $0.announcesLength = false
            }
            let client = remote.client
            let file = try await world.downloads(client, retry: world.retry(2)).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == [nil, "bytes=700000-"])
        }
    }

    @Test("begins again when the server has less than what is there")
    func shorterOnTheServer() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let newer = content.prefix(1000)
            remote.change { $0.content = newer }
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == newer)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-", nil])
        }
    }

    @Test("asks on when the server gives less than it was asked for")
    func slices() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) {
                $0.cuts = [100_000]
                $0.slice = 250_000
            }
            _ = try await world.failure(remote.client)
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.count == 3 && remote.sentEachByteOnce)
        }
    }

    @Test("does not go on from bytes that have changed on the disk", arguments: [0, 262_144, 599_999])
    func damagedPart(place: Int) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [600_000] }
            _ = try await world.failure(remote.client)
            try world.flipBit(".data", at: place)
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            let good = place / block * block
            #expect(client.requests.map { $0.headers["Range"] } == [good == 0 ? nil : "bytes=\(good)-"])
        }
    }

    @Test("begins again when its journal is damaged", arguments: [0, 9, 30])
    func damagedJournal(place: Int) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [600_000] }
            _ = try await world.failure(remote.client)
            try world.flipBit(".part", at: place)
            let client = remote.client
            #expect(try await world.downloads(client).file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == [nil])
            #expect(try world.files(".data").count == 1)
        }
    }

    @Test("keeps what has come when the server says that it is gone, and when it is told to wait")
    func refusedMeanwhile() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            for status in [404, 503] {
                let refusing = ScriptedHTTPClient([.answer(status: status)])
                let error = try await world.failure(refusing)
                #expect(error == .invalidData(.status(status)))
            }
            let client = remote.client
            _ = try await world.downloads(client).file(for: world.url)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-"])
        }
    }
}

extension DownloadError {
    var isConnectivity: Bool { if case .connectivity = self { true } else { false } }
}
