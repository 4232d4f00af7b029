import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("What is downloaded", .timeLimit(.minutes(10)))
struct DownloadKeepingTests {
    private let content = Data.noise(700_000)
    private let block = 256 << 10

    private func url(_ number: Int) -> URL { URL(string: "http://audio.example/\(number).mp3")! }

    /// Downloads of 100 bytes each.
    private func small(_ world: DownloadWorld, bound: Int) throws -> Downloads {
        try world.downloads(
            ScriptedHTTPClient { _ in .answer(headers: ["ETag": "\"1\""], body: Data(count: 100)) }, bound: bound)
    }

    private func numbers(_ downloads: Downloads) async throws -> [Int] {
        try await downloads.list().compactMap { Int($0.url.deletingPathExtension().lastPathComponent) }.sorted()
    }

    @Test("is read anywhere: any range, across blocks and behind the end")
    func ranges() async throws {
        try await DownloadWorld.with { world in
            let file = try await world.downloads(FileRemote(content).client).file(for: world.url)
            for range in [
                0..<1, 0..<0, 5..<block, block..<(block + 1), (block - 1)..<(2 * block + 1), 699_999..<700_000,
            ] {
                #expect(try await file.read(range) == content[range])
            }
            #expect(try await file.read(699_990..<800_000) == content[699_990...])
            #expect(try await file.read(700_000..<800_000).isEmpty)
            let chunks = try await file.chunks(1000..<600_000).reduce(into: [Data]()) { $0.append($1) }
            #expect(chunks.reduce(Data(), +) == content[1000..<600_000])
            #expect(chunks.map(\.count) == [block - 1000, block, 600_000 - 2 * block])
            #expect(try await file.chunks().reduce(0) { $0 + $1.count } == content.count)
        }
    }

    @Test(
        "and damaged is an error wherever the damage is read, and replaced by the next download",
        arguments: [0, 699_999])
    func flippedBit(place: Int) async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            _ = try await world.downloads(remote.client).file(for: world.url)
            try await world.downloads(remote.client).pin(world.url)
            try world.flipBit(".data", at: place)
            let file = try await world.downloads(remote.client).file(for: world.url)
            #expect(try await file.read(block..<(2 * block)) == content[block..<(2 * block)])
            for _ in 0..<2 {
                let error = await failure { () async throws(StoreError) in try await file.read(place..<(place + 1)) }
                #expect(
                    error == .unreadable(key: world.url.absoluteString, reason: "the checksum of its bytes is wrong"))
            }
            await #expect(throws: StoreError.self) { try await file.verify() }
            let client = remote.client
            let downloads = try world.downloads(client)
            let again = try await downloads.file(for: world.url)
            #expect(try await again.all() == content)
            #expect(client.requests.count == 1)
            #expect(try await downloads.list().map(\.isPinned) == [true])
        }
    }

    @Test("and shortened, lengthened, of another URL, or with a damaged record is an error, and replaced")
    func damage() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            let downloads = try world.downloads(remote.client)
            // The one before may still be there.
            func newest() throws -> URL {
                try #require(world.files(".data").max { $0.lastPathComponent < $1.lastPathComponent })
            }
            let damages: [() throws -> Void] = [
                { try content.prefix(600_000).write(to: newest()) },
                { try (content + [0]).write(to: newest()) },
                { try FileManager.default.removeItem(at: newest()) },
                { try Data().write(to: world.files(".info")[0]) },
                { try world.flipBit(".info", at: 3) },
                { try world.flipBit(".info", at: 10) },
                { try world.flipBit(".info", at: 40) },
                { try world.flipBit(".info", at: try Data(contentsOf: world.files(".info")[0]).count - 1) },
            ]
            for (number, damage) in damages.enumerated() {
                _ = try await downloads.file(for: world.url)
                try damage()
                await #expect(throws: StoreError.self, "\(number)") { try await downloads.saved(world.url) }
                #expect(try await downloads.file(for: world.url).all() == content, "\(number)")
            }
        }
    }

    @Test("and a folder in place of its record is told as damage of it alone")
    func folderInItsPlace() async throws {
        try await DownloadWorld.with { world in
            let downloads = try world.downloads(FileRemote(content).client)
            _ = try await downloads.file(for: world.url)
            let record = try world.files(".info")[0]
            try FileManager.default.removeItem(at: record)
            try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
            let damaged = try await downloads.damaged()
            #expect(damaged.map(\.reason) == ["something that is no file lies in its place"])
        }
    }

    @Test("and a record that damage has made huge is not read as a whole")
    func hugeRecord() async throws {
        try await DownloadWorld.with { world in
            let downloads = try world.downloads(FileRemote(content).client)
            _ = try await downloads.file(for: world.url)
            let record = try FileHandle(forWritingTo: world.files(".info")[0])
            try record.truncate(atOffset: UInt64(DownloadFolder.mostBytes + 1))
            #expect(try await downloads.damaged().map(\.reason) == ["it is too large for a record"])
            #expect(try await downloads.file(for: world.url).all() == content)
        }
    }

    @Test("is listed, whole or not, and deleted without leaving anything")
    func listAndDelete() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let downloads = try world.downloads(remote.client)
            let part = try #require(try await downloads.list().first)
            #expect(part.progress == DownloadProgress(received: 300_000, total: 700_000) && !part.isWhole)
            _ = try await downloads.file(for: world.url)
            try await downloads.pin(world.url)
            #expect(
                try await downloads.list() == [
                    DownloadSummary(
                        url: world.url, progress: DownloadProgress(received: 700_000, total: 700_000), isWhole: true,
                        isPinned: true, savedAt: world.date.now, usedAt: world.date.now, mediaType: "audio/mpeg")
                ])
            try await downloads.delete(world.url)
            #expect(try await downloads.list().isEmpty)
            let names = try FileManager.default.contentsOfDirectory(atPath: world.folder.path).sorted()
            #expect(names == ["aquifer-downloads", "aquifer-downloads.lock"])
            try await downloads.delete(world.url)
        }
    }

    @Test("of a version before the first release is told as such, and left as it is")
    func earlierVersion() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content)
            _ = try await world.downloads(remote.client).file(for: world.url)
            let marker = world.folder.appendingPathComponent("aquifer-downloads")
            try Data("Aquifer downloads, version 1\n".utf8).write(to: marker)
            let before = try FileManager.default.contents(of: world.folder)
            #expect(throws: StoreError.otherVersion(path: world.folder.path, found: 1, supported: 2)) {
                _ = try world.downloads(remote.client)
            }
            #expect(try FileManager.default.contents(of: world.folder) == before)
        }
    }

    @Test("and deleted while it comes is cancelled, and gone")
    func deletedMeanwhile() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            let loading = Task { try await downloads.file(for: world.url) }
            let exchange = await client.exchange(0)
            exchange.start(headers: ["ETag": "\"1\""])
            exchange.send(content)
            await exchange.waitUntilRead()
            try await downloads.delete(world.url)
            await #expect(throws: DownloadError.cancelled) { try await loading.value }
            #expect(exchange.wasCancelled)
            #expect(try await downloads.list().isEmpty)
        }
    }

    @Test("has a bound: what was used least recently goes")
    func bound() async throws {
        try await DownloadWorld.with { world in
            let downloads = try small(world, bound: 300)
            for number in [1, 2, 3] {
                _ = try await downloads.file(for: url(number))
                world.date.advance(by: 1)
            }
            _ = try await downloads.saved(url(1))
            world.date.advance(by: 1)
            // The order of use survives the process.
            let after = try small(world, bound: 300)
            let file = try await after.file(for: url(4))
            #expect(try await numbers(after) == [1, 3, 4])
            #expect(try await file.all().count == 100)
        }
    }

    @Test("and pinned is never evicted, pinned before it came or after; unpinned it is again")
    func pins() async throws {
        try await DownloadWorld.with { world in
            let downloads = try small(world, bound: 100)
            try await downloads.pin(url(1))
            for number in [1, 2] { _ = try await downloads.file(for: url(number)) }
            try await downloads.pin(url(2))
            world.date.advance(by: 1)
            for number in [3, 4] {
                _ = try await downloads.file(for: url(number))
                world.date.advance(by: 1)
            }
            #expect(try await numbers(downloads) == [1, 2, 4])
            try await downloads.unpin(url(2))
            #expect(try await numbers(downloads) == [1, 4])
            try await downloads.unpin(url(9))
        }
    }

    @Test("and larger than the bound is delivered, and not kept; parts count too")
    func largerThanTheBound() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            world.date.advance(by: 1)
            let downloads = try small(world, bound: 99)
            let file = try await downloads.file(for: url(2))
            #expect(try await file.all().count == 100)
            #expect(try await downloads.list().isEmpty)
            #expect(try world.files(".data").isEmpty)
        }
    }

    @Test("and under way is not evicted")
    func underWay() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let download = try world.downloads(client).download(world.url)
            let exchange = await client.exchange(0)
            exchange.start(headers: ["ETag": "\"1\""])
            exchange.send(content)
            for await progress in download.progress where progress.received == content.count { break }
            _ = try await small(world, bound: 0).file(for: url(2))
            exchange.finish()
            #expect(try await download.file().all() == content)
        }
    }

    @Test("is validated: the expired and the damaged go, the rest and the pins stay")
    func validate() async throws {
        try await DownloadWorld.with { world in
            let downloads = try small(world, bound: 1000)
            _ = try await downloads.file(for: url(1))
            try await downloads.pin(url(1))
            world.date.advance(by: Duration.days(4).timeInterval)
            _ = try await downloads.file(for: url(2))
            world.date.advance(by: Duration.days(3).timeInterval)
            #expect(try await downloads.validate() == [url(1)])
            try world.flipBit(".data", at: 50)
            _ = try await downloads.file(for: url(3))
            #expect(try await downloads.validate() == [url(2)])
            let left = try await downloads.list()
            #expect(Set(left.filter(\.isWhole).map(\.url)) == [url(3)])
            #expect(left.filter(\.isPinned).map(\.url) == [url(1)])
        }
    }
}
