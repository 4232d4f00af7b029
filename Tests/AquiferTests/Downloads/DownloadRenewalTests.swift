import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("Those who renew a download, and those who only want it", .timeLimit(.minutes(10)))
struct DownloadRenewalTests {
    private let content = Data.noise(300_000)

    /// A folder with the file, confirmed three days ago, and a client that holds back its answers.
    private func withFile(_ use: (DownloadWorld, Downloads, ScriptedHTTPClient) async throws -> Void) async throws {
        try await DownloadWorld.with { world in
            _ = try await world.downloads(FileRemote(content).client).file(for: world.url)
            world.date.advance(by: 3 * 86_400)
            let client = ScriptedHTTPClient()
            try await use(world, try world.downloads(client), client)
        }
    }

    @Test("a file that is fresh is delivered while it is being renewed, without waiting for the remote")
    func freshFile() async throws {
        try await withFile { (world, downloads, client) async throws in
            let renewal = Task { try await downloads.renew(world.url, ifOlderThan: .days(1)) }
            let exchange = await client.exchange(0)
            #expect(try await downloads.file(for: world.url).all() == content)
            #expect(try await downloads.bytes(of: world.url) == content)
            exchange.fail(TransportError(.offline))
            #expect(try await renewal.value.all() == content)
            #expect(client.requests.count == 1)
        }
    }

    @Test("whoever renews asks the remote, though others are only being given what is there")
    func renewalJoins() async throws {
        try await withFile { (world, downloads, client) async throws in
            let all = try await downloads.file(for: world.url)
            let share = downloads.download(world.url)
            let renewal = Task { try await downloads.renew(world.url, ifOlderThan: .days(1)) }
            await client.exchange(0).respond(status: 304, headers: ["ETag": "\"1\""])
            #expect(try await renewal.value.savedAt == world.date.now)
            #expect(all.savedAt == world.date.now - 3 * 86_400)
            share.cancel()
        }
    }

    @Test("two who renew after different times each have it as young as they asked for")
    func ages() async throws {
        try await withFile { (world, downloads, client) async throws in
            let strict = Task { try await downloads.renew(world.url, ifOlderThan: .days(1)) }
            let exchange = await client.exchange(0)
            #expect(try await downloads.renew(world.url, ifOlderThan: .days(5)).savedAt == world.date.now - 3 * 86_400)
            exchange.respond(status: 304, headers: ["ETag": "\"1\""])
            #expect(try await strict.value.savedAt == world.date.now)
        }
    }

    @Test("an expired file is transferred once for all of them")
    func expired() async throws {
        try await withFile { (world, downloads, client) async throws in
            world.date.advance(by: 30 * 86_400)
            let renewal = Task { try await downloads.renew(world.url, ifOlderThan: .days(1)) }
            let exchange = await client.exchange(0)
            let other = Task { try await downloads.file(for: world.url) }
            #expect(await eventually { downloads.shares(of: world.url) == 2 })
            exchange.respond(status: 304, headers: ["ETag": "\"1\""])
            #expect(try await other.value.savedAt == world.date.now)
            #expect(try await renewal.value.savedAt == world.date.now)
            #expect(client.requests.count == 1)
        }
    }

    @Test("deleting ends a renewal, too")
    func deleted() async throws {
        try await withFile { (world, downloads, client) async throws in
            let renewal = Task { try await downloads.renew(world.url, ifOlderThan: .days(1)) }
            let exchange = await client.exchange(0)
            try await downloads.delete(world.url)
            #expect(exchange.wasCancelled)
            await #expect(throws: DownloadError.cancelled) { try await renewal.value }
            #expect(try await downloads.list().isEmpty)
        }
    }
}
