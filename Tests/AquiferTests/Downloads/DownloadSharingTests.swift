import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Several who download one URL", .timeLimit(.minutes(10)))
struct DownloadSharingTests {
    private let content = Data.noise(700_000)
    private var head: HTTPHeaders { ["ETag": "\"1\"", "Content-Length": "\(content.count)"] }

    @Test("share one transfer, and each reads all of it while it is being saved, whenever they come")
    func readers() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            var early = downloads.download(world.url).bytes().makeAsyncIterator()
            let exchange = await client.exchange(0)
            exchange.start(headers: head)
            exchange.send(content.prefix(1000))
            #expect(try await early.next() == content.prefix(1000))
            exchange.send(content[1000..<300_000])
            var late = downloads.download(world.url).bytes().makeAsyncIterator()
            var offset = downloads.download(world.url).bytes(from: 999).makeAsyncIterator()
            #expect(try await late.next()?.first == content[0])
            #expect(try await offset.next()?.first == content[999])
            #expect(downloads.shares(of: world.url) == 3)
            exchange.send(content[300_000...])
            exchange.finish()
            var rest = Data()
            while let bytes = try await early.next() { rest += bytes }
            #expect(rest == content[1000...])
            #expect(try await downloads.bytes(of: world.url) == content)
            #expect(client.requests.count == 1)
        }
    }

    @Test("read no damaged byte: a whole block is verified, and what comes after the last one is in memory")
    func damageWhileItGrows() async throws {
        try await DownloadWorld.with { world in
            let (download, _) = try await world.begunDownload(ScriptedHTTPClient(), of: content)
            try world.flipBit(".data", at: 1000)
            try world.flipBit(".data", at: 299_000)
            let error = await #expect(throws: DownloadError.self) { try await download.bytes().all() }
            let reason = "the checksum of its bytes is wrong"
            #expect(error == .store(.unreadable(key: world.url.absoluteString, reason: reason)))
            var tail = download.bytes(from: 262_145).makeAsyncIterator()
            #expect(try await tail.next() == content[262_145..<300_000])
        }
    }

    @Test("the last one to leave ends the transfer; what has come is gone on with")
    func lastOneLeaves() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            let one = downloads.download(world.url)
            let other = Task { try await downloads.file(for: world.url) }
            let exchange = await client.exchange(0)
            exchange.start(headers: head)
            exchange.send(content.prefix(300_000))
            #expect(await eventually { downloads.shares(of: world.url) == 2 })
            for await progress in one.progress where progress.received == 300_000 { break }
            one.cancel()
            await #expect(throws: DownloadError.cancelled) { try await one.file() }
            #expect(!exchange.wasCancelled)
            other.cancel()
            await exchange.waitForCancellation()
            await #expect(throws: DownloadError.cancelled) { try await other.value }
            // A reader that comes now waits until that one is out, and resumes.
            let again = Task { try await downloads.file(for: world.url).all() }
            let next = await client.exchange(1)
            #expect(next.request.headers["Range"] == "bytes=300000-")
            next.respond(
                status: 206, headers: ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"1\""],
                body: content[300_000...])
            #expect(try await again.value == content)
        }
    }

    @Test("letting go of everything made from a download is leaving too")
    func lettingGo() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            do {
                var reader = downloads.download(world.url).bytes().makeAsyncIterator()
                let exchange = await client.exchange(0)
                exchange.start(headers: head)
                exchange.send(content.prefix(10))
                #expect(try await reader.next()?.count == 10)
            }
            await client.exchange(0).waitForCancellation()
        }
    }

    @Test("one who waits and leaves is told at once, without the others")
    func leaves() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            let stays = Task { try await downloads.file(for: world.url).length }
            let exchange = await client.exchange(0)
            let download = downloads.download(world.url)
            let waits = Task { try await download.file() }
            let reads = Task { try await download.bytes().all() }
            download.cancel()
            await #expect(throws: DownloadError.cancelled) { try await waits.value }
            await #expect(throws: DownloadError.cancelled) { try await reads.value }
            exchange.respond(body: content)
            #expect(try await stays.value == content.count)
        }
    }

    @Test("get nothing of what is there before the server has confirmed it; then all, once")
    func confirmedFirst() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client)
            let got = Locked(0)
            let reading = Task {
                try await downloads.download(world.url).bytes().reduce(into: Data()) { all, bytes in
                    all += bytes
                    got.withLock { $0 += bytes.count }
                }
            }
            let exchange = await client.exchange(0)
            #expect(got.withLock { $0 } == 0)
            exchange.respond(
                status: 206, headers: ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"1\""],
                body: content[300_000...])
            #expect(try await reading.value == content)
        }
    }

    @Test("are never given bytes of two versions: who has read of the earlier one is told that it changed")
    func changedWhileRead() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let downloads = try world.downloads(client, retry: world.retry(2))
            let download = downloads.download(world.url)
            var reader = download.bytes().makeAsyncIterator()
            let first = await client.exchange(0)
            first.start(headers: head)
            first.send(content.prefix(1000))
            #expect(try await reader.next()?.count == 1000)
            first.fail(TransportError(.interrupted))
            let newer = Data.noise(600_000, seed: 2)
            let second = await client.exchange(1)
            second.respond(headers: ["ETag": "\"2\""], body: newer)
            #expect(try await download.file().all() == newer)
            await #expect(
                throws: DownloadError.invalidData(.body("it changed on the server while it was read"))
            ) { try await reader.next() }
            #expect(try await download.bytes().all() == newer)
        }
    }

    @Test("are told why it ended, after all that had come")
    func readersAreTold() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            var reader = try world.downloads(remote.client).download(world.url).bytes().makeAsyncIterator()
            var count = 0
            let error = await failure { () async throws(DownloadError) in
                while let bytes = try await reader.next() { count += bytes.count }
            }
            #expect(error == .connectivity(TransportError(.interrupted)))
            #expect(count == 300_000)
        }
    }

    @Test("are shown its progress, from what was there to the end")
    func progress() async throws {
        try await DownloadWorld.with { world in
            let remote = FileRemote(content) { $0.cuts = [300_000] }
            _ = try await world.failure(remote.client)
            let client = ScriptedHTTPClient()
            let download = try world.downloads(client).download(world.url)
            var progress = download.progress.makeAsyncIterator()
            #expect(await progress.next() == DownloadProgress(received: 0, total: nil))
            let exchange = await client.exchange(0)
            exchange.start(status: 206, headers: ["Content-Range": "bytes 300000-699999/700000", "ETag": "\"1\""])
            #expect(await progress.next() == DownloadProgress(received: 300_000, total: 700_000))
            exchange.send(content[300_000..<500_000])
            #expect(await progress.next() == DownloadProgress(received: 500_000, total: 700_000))
            exchange.send(content[500_000...])
            exchange.finish()
            #expect(await progress.next() == DownloadProgress(received: 700_000, total: 700_000))
            #expect(await progress.next() == nil)
            #expect(DownloadProgress(received: 1, total: 4).fraction == 0.25)
        }
    }

    @Test("in two processes: one transfers, the other sees it come, waits, and has it without a request")
    func twoProcesses() async throws {
        try await DownloadWorld.with { world in
            let client = ScriptedHTTPClient()
            let one = try world.downloads(client)
            let first = Task { try await one.file(for: world.url).length }
            let exchange = await client.exchange(0)
            exchange.start(headers: head)
            exchange.send(content.prefix(300_000))
            let none = ScriptedHTTPClient([])
            let download = try world.downloads(none, patience: .days(9999), clock: world.clock).download(world.url)
            let ticking = world.tick()
            for await progress in download.progress where progress.received == 300_000 { break }
            exchange.send(content[300_000...])
            exchange.finish()
            #expect(try await first.value == content.count)
            #expect(try await download.file().all() == content)
            #expect(none.requests.isEmpty)
            ticking.cancel()
        }
    }

    @Test("in two processes: when the one that transfers ends, the other goes on from there")
    func takesOver() async throws {
        try await DownloadWorld.with { world in
            let held = ScriptedHTTPClient()
            let one = try world.downloads(held).download(world.url)
            let exchange = await held.exchange(0)
            exchange.start(headers: head)
            exchange.send(content.prefix(300_000))
            let client = FileRemote(content).client
            let download = try world.downloads(client, patience: .days(9999), clock: world.clock).download(world.url)
            let ticking = world.tick()
            for await progress in download.progress where progress.received == 300_000 { break }
            one.cancel()
            #expect(try await download.file().all() == content)
            #expect(client.requests.map { $0.headers["Range"] } == ["bytes=300000-"])
            ticking.cancel()
        }
    }

    @Test("in two processes: one that does not come on is waited for only so long")
    func stuck() async throws {
        try await DownloadWorld.with { world in
            let held = ScriptedHTTPClient()
            let one = try world.downloads(held).download(world.url)
            _ = await held.exchange(0)
            try await world.expectBusy()
            one.cancel()
        }
    }

    @Test("in two processes: one whose transfer has begun and stands still is waited for only so long")
    func stuckLater() async throws {
        try await DownloadWorld.with { world in
            let (one, _) = try await world.begunDownload(ScriptedHTTPClient(), of: content)
            try await world.expectBusy()
            one.cancel()
        }
    }
}
