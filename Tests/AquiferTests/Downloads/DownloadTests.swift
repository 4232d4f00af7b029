import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Downloading", .timeLimit(.minutes(10)))
struct DownloadTests {
    private let content = Data.noise(700_000)

    @Test("Large data arrives in a file, with what the server said of it, and nothing else stays")
    func arrives() async throws {
        try await DownloadWorld.with { world in
            let file = try await world.downloads(FileRemote(content).client).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(try Data(contentsOf: file.location) == content)
            #expect(file.length == content.count && file.mediaType == "audio/mpeg")
            #expect(file.savedAt == world.date.now && file.validators == Validators(etag: "\"1\""))
            #expect(try world.counts == [".part": 0, ".data": 1])
        }
    }

    @Test(
        "It is there in another process once it was delivered, flushed before or after",
        arguments: Downloads.Durability.allCases)
    func durability(_ durability: Downloads.Durability) async throws {
        try await DownloadWorld.with { world in
            let downloads = try Downloads(
                directory: world.folder, client: FileRemote(content).client, durability: durability,
                now: world.date.read)
            _ = try await downloads.file(for: world.url)
            let file = try await world.downloads(ScriptedHTTPClient([])).saved(world.url)
            #expect(try await file?.all() == content)
        }
    }

    @Test("What is whole and fresh is delivered without a request, in another process too")
    func fresh() async throws {
        try await DownloadWorld.with { world in
            let client = FileRemote(content).client
            _ = try await world.downloads(client).file(for: world.url)
            world.date.advance(by: Duration.days(7).timeInterval - 1)
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(try await world.downloads(client).saved(world.url)?.length == content.count)
            #expect(client.requests.count == 1)
        }
    }

    @Test("What has expired is asked after; a 304 makes it fresh again without its bytes")
    func revalidates() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            let client = remote.client
            let downloads = try world.downloads(client)
            _ = try await downloads.file(for: world.url)
            world.date.advance(by: Duration.days(7).timeInterval)
            #expect(try await downloads.saved(world.url) == nil)
            let file = try await downloads.file(for: world.url)
            #expect(try await file.all() == content)
            #expect(file.savedAt == world.date.now)
            #expect(client.requests[1].headers["If-None-Match"] == "\"1\"")
            #expect(remote.sentEachByteOnce)
        }
    }

    @Test("What has expired is not confirmed by a 304 about another version: it is asked for whole")
    func otherVersion() async throws {
        try await DownloadWorld.with { world in
            _ = try await world.downloads(FileRemote(content).client).file(for: world.url)
            world.date.advance(by: Duration.days(8).timeInterval)
            let newer = Data.noise(1_000, seed: 2)
            let client = ScriptedHTTPClient([
                .answer(status: 304, headers: ["ETag": "\"2\""]), .answer(headers: ["ETag": "\"2\""], body: newer),
            ])
            #expect(try await world.downloads(client).file(for: world.url).all() == newer)
            #expect(client.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", nil])
            world.date.advance(by: Duration.days(8).timeInterval)
            let stubborn = ScriptedHTTPClient { _ in .answer(status: 304, headers: ["ETag": "\"3\""]) }
            #expect(try await world.failure(stubborn) == .invalidData(.status(304)))
            #expect(stubborn.requests.count == 2)
        }
    }

    @Test("What has expired is replaced by what is newer, and stays until that is whole")
    func replaces() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            let downloads = try world.downloads(remote.client)
            let old = try await downloads.file(for: world.url)
            world.date.advance(by: Duration.days(7).timeInterval)
            let newer = Data.noise(600_000, seed: 2)
            remote.change { ($0.content, $0.fields["ETag"], $0.cuts) = (newer, "\"2\"", [400_000]) }
            let error = try await world.failure(remote.client)
            #expect(error?.isConnectivity == true)
            #expect(try world.files(".data").count == 2)
            let client = remote.client
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == newer)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=400000-"])
            // The old one goes when the new one has reached the device.
            #expect(await eventually { (try? world.files(".data").count) == 1 })  // nil is not 1
            // A reader that had opened the old file goes on reading it.
            #expect(try await old.all() == content)
        }
    }

    @Test("What has expired is not delivered when the remote cannot be reached, and stays")
    func expiredOffline() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            _ = try await world.downloads(remote.client).file(for: world.url)
            world.date.advance(by: Duration.days(7).timeInterval)
            let offline = ScriptedHTTPClient([.failure(TransportError(.cannotConnect))])
            #expect(try await world.failure(offline) == .connectivity(TransportError(.cannotConnect)))
            let client = remote.client
            _ = try await world.downloads(client).file(for: world.url)
            #expect(client.requests[0].headers["If-None-Match"] == "\"1\"" && remote.sentEachByteOnce)
        }
    }

    @Test("Without an announced length the end of the body is the end")
    func noLength() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.announcesLength = false }
            let file = try await world.downloads(remote.client).file(for: world.url)
            #expect(try await file.all() == content)
        }
    }

    @Test("Less than was announced is no whole file; what has come stays")
    func tooShort() async throws {
        try await DownloadWorld.with { world in
            let short = ScriptedHTTPClient([
                .stream(headers: ["ETag": "\"1\"", "Content-Length": "700000"], chunks: [content.prefix(300_000)])
            ])
            let error = try await world.failure(short)
            #expect(error?.isConnectivity == true)
            let client = FileRemote(content).client
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-"])
        }
    }

    @Test(
        "What is not as it should be is refused, and leaves nothing",
        arguments: [
            (
                200, ["Content-Length": "5"], 10,
                InvalidData.unusable(
                    TransportError(.malformed, "more than the 5 bytes announced"))
            ),
            (200, ["Content-Length": "2000"], 2000, .unusable(.bodyTooLarge(limit: 1000))),
            (200, [:], 2000, .unusable(.bodyTooLarge(limit: 1000))),
            (206, ["Content-Range": "bytes 0-9/10"], 10, .status(206)),
            (200, ["Content-Range": "bytes 10-19/20"], 10, .body("a part of the content in place of the whole")),
            (200, ["Content-Range": "bytes 0-9/20"], 10, .body("a part of the content in place of the whole")),
            (404, [:], 10, .status(404)), (304, [:], 0, .status(304)), (416, [:], 0, .status(416)),
            (200, ["Content-Type": "text/html"], 10, .mediaType("text/html")),
        ] as [(Int, [String: String], Int, InvalidData)])
    func refused(status: Int, fields: [String: String], length: Int, reason: InvalidData) async throws {
        try await DownloadWorld.with { world in
            let headers = HTTPHeaders(fields.map { HTTPHeaders.Field($0.key, $0.value) })
            let client = ScriptedHTTPClient([.answer(status: status, headers: headers, body: Data(count: length))])
            let error = try await world.failure(client, limit: 1000) { head, _ in
                if head.mediaType == "text/html" { throw InvalidData.mediaType(head.mediaType) }
            }
            #expect(error == .invalidData(reason))
            #expect(error?.description == DownloadError.invalidData(reason).description)
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder.path).count == 2)
        }
    }

    @Test(
        "A page of the network is no download, and costs nothing of what is kept or saved",
        arguments: [
            ("text/html; charset=utf-8", "<p>Sign in</p>", InvalidData.mediaType("text/html")),
            ("audio/mpeg", "\u{FEFF}\n<!DOCTYPE HTML><p>Sign in</p>", .body("begins like an HTML page")),
        ], [0, 1])
    func captivePortal(answer: (type: String, body: String, error: InvalidData), isSaved: Int) async throws {
        try await DownloadWorld.with { world in
            let portal = ScriptedHTTPClient { _ in
                .answer(headers: ["Content-Type": answer.type], body: Data(answer.body.utf8))
            }
            let remote = FileRemote(content) { $0.cuts = isSaved == 1 ? [] : [70_000] }
            _ = try? await world.downloads(remote.client).file(for: world.url)  // it is cut, or saved
            if isSaved == 1 { world.date.advance(by: Duration.days(8).timeInterval) }
            let error = try await world.failure(portal)
            #expect(error == .invalidData(answer.error))
            #expect(try await world.downloads(remote.client).file(for: world.url).all() == content)
            #expect(remote.sentEachByteOnce)
        }
    }

    @Test("A server that is busy is asked again as it says")
    func busyServer() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            let isFirst = Locked(true)
            let client = ScriptedHTTPClient { request in
                let first = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return first ? .answer(status: 503, headers: ["Retry-After": "7"]) : remote.reply(to: request)
            }
            let downloads = try world.downloads(client, retry: RetryPolicy(attempts: 2, clock: world.clock))
            let load = Task { try await downloads.file(for: world.url).length }
            await world.clock.waitForSleepers(1)
            #expect(world.clock.sleepers == [.seconds(7)])
            world.clock.advance(by: .seconds(7))
            #expect(try await load.value == content.count)
        }
    }

    @Test("A file of no bytes is a file", arguments: [["Content-Length": "0"], ["Transfer-Encoding": "chunked"]])
    func empty(fields: [String: String]) async throws {
        try await DownloadWorld.with { world in
            let headers = HTTPHeaders(fields.map { HTTPHeaders.Field($0.key, $0.value) })
            let client = ScriptedHTTPClient { _ in .answer(headers: headers) }
            #expect(try await world.downloads(client).file(for: world.url).length == 0)
            let file = try #require(try await world.downloads(client).saved(world.url))
            try await file.verify()
            #expect(try await file.all().isEmpty)
            #expect(try await world.downloads(client).bytes(of: world.url).isEmpty)
            #expect(client.requests.count == 1)
        }
    }

    @Test(
        "What its server always sends coded is decoded by the client, has the length of what comes, and begins again after a cut"
    )
    func coded() async throws {
        try await DownloadWorld.with { world in
            let cuts = Locked(1)
            let client = ScriptedHTTPClient { [content] request in
                if request.headers["If-None-Match"] != nil { return .answer(status: 304) }
                if request.headers["Accept-Encoding"] != nil {
                    return .answer(
                        headers: ["Content-Encoding": "gzip", "ETag": "\"1\"", "Content-Length": "9"],
                        body: Data(count: 9))
                }
                // The client has decoded it.
                let isCut = cuts.withLock { cuts in
                    cuts -= 1
                    return cuts >= 0
                }
                return .stream(
                    headers: ["ETag": "\"1\""], chunks: [isCut ? content.prefix(300_000) : content],
                    error: isCut ? TransportError(.interrupted) : nil)
            }
            let downloads = try world.downloads(client, retry: world.retry(2))
            #expect(try await downloads.file(for: world.url).all() == content)
            #expect(client.requests.map { $0.headers["Accept-Encoding"] } == ["identity", nil, nil])
            #expect(client.requests.allSatisfy { $0.headers["Range"] == nil })
            world.date.advance(by: Duration.days(8).timeInterval)
            #expect(try await downloads.file(for: world.url).length == content.count)
            #expect(client.requests.count == 4)
        }
    }

    @Test("What is coded is seen on every line of the field")
    func codedOnASecondLine() async throws {
        try await DownloadWorld.with { world in
            var headers: HTTPHeaders = ["Content-Encoding": "identity", "ETag": "\"1\""]
            headers.add("Content-Encoding", "gzip")
            let client = ScriptedHTTPClient([
                .answer(headers: headers, body: Data([0x1F, 0x8B, 8])), .answer(body: Data("decoded".utf8)),
            ])
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == Data("decoded".utf8))
        }
    }

    @Test(
        "What names no coding in the field is not coded",
        arguments: ["", "identity, identity", "IDENTITY,", "aws-chunked", "UTF-8", "none"])
    func notCoded(coding: String) async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient([.answer(headers: ["Content-Encoding": coding], body: content)])
            let file = try await world.downloads(client).file(for: world.url)
            #expect(try await file.all() == content)
        }
    }

    @Test("Two URLs do not disturb each other")
    func several() async throws {
        try await DownloadWorld.with { world in
            let other = try #require(URL(string: "http://audio.example/2.mp3"))
            let client = ScriptedHTTPClient { request in
                .answer(body: Data(request.url.absoluteString.utf8))
            }
            let downloads = try world.downloads(client)
            for url in [world.url, other] {
                #expect(try await downloads.file(for: url).all() == Data(url.absoluteString.utf8))
            }
            #expect(try await downloads.list().count == 2)
        }
    }

    @Test("A folder of something else is left alone")
    func otherFolder() async throws {
        try await TemporaryFolder.with { folder in
            _ = try FileStore(directory: folder)
            #expect(throws: StoreError.notAStore(path: folder.path)) {
                _ = try Downloads(directory: folder, client: ScriptedHTTPClient())
            }
        }
    }

    @Test("A data loader downloads into files, and takes small data from there instead of fetching it again")
    func throughTheLoader() async throws {
        try await DownloadWorld.with { world in
            let client = FileRemote(content).client
            let downloads = try world.downloads(client)
            let loader = DataLoader(
                client: client, store: MemoryStore(), downloads: downloads, now: world.date.read)
            #expect(try await loader.file(for: world.url).all() == content)
            #expect(try await loader.download(world.url).bytes().all() == content)
            let loaded = try await loader.data(for: world.url)
            #expect(loaded.value == content)
            #expect(loaded.source == .cache(savedAt: world.date.now, because: nil))
            #expect(client.requests.count == 1)
            let without = DataLoader(client: client, store: MemoryStore())
            await #expect(throws: DownloadError.self) { try await without.file(for: world.url) }
            await #expect(throws: DownloadError.self) { try await without.download(world.url).file() }
        }
    }

    @Test("A data loader does not load a downloaded file that is larger than its limit")
    func tooLargeForData() async throws {
        try await DownloadWorld.with { world in
            let client = FileRemote(content).client
            let loader = DataLoader(
                client: client, store: MemoryStore(), limit: content.count - 1, downloads: try world.downloads(client),
                now: world.date.read)
            #expect(try await loader.file(for: world.url).length == content.count)
            await #expect(throws: LoadError.self) { try await loader.data(for: world.url) }
        }
    }
}
