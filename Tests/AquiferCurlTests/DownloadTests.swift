import Aquifer
import AquiferCurl
import AquiferTesting
import Foundation
import Testing

@Suite("Downloading over sockets", .serialized, .timeLimit(.minutes(10)))
struct DownloadTests {
    @Test("goes on after each cut, and no byte is sent twice")
    func cuts() async throws {
        let size = 3_000_001
        let server = try FileServer(size: size, cuts: [1, 1_000_000, 262_143])
        try await withTemporaryFolder { folder in
            let retry = RetryPolicy(attempts: 2, base: .zero)
            let downloads = try Downloads(directory: folder, client: CurlHTTPClient(), retry: retry)
            let file = try await downloads.file(for: server.url)
            #expect(try await file.isTheServers(size))
            #expect(server.sent == [0..<1, 1..<1_000_001, 1_000_001..<1_262_144, 1_262_144..<size])
        }
    }

    @Test("reads while it is saved, leaves half-way, and goes on later from there")
    func leaves() async throws {
        let size = 8 << 20
        let server = try FileServer(size: size)
        try await withTemporaryFolder { folder in
            var count = 0
            for try await bytes in try Downloads(directory: folder, client: CurlHTTPClient()).download(server.url)
                .bytes()
            {
                count += bytes.count
                if count > 1_000_000 { break }
            }
            let file = try await Downloads(directory: folder, client: CurlHTTPClient()).file(for: server.url)
            #expect(try await file.isTheServers(size))
            let start = try #require(server.sent.last?.lowerBound)
            #expect(start >= count)
        }
    }

    #if os(Linux)
        @Test(
            "200 MB need less than 20 MB of memory, and go on after a cut without a byte fetched twice",
            .enabled(if: canBoundAddressSpace, "a sanitizer keeps memory that was freed"))
        func memory() async throws {
            let size = 200 << 20
            let server = try FileServer(size: size, cuts: [77_777_777])
            let url = server.url
            await #expect(processExitsWith: .success) { [url = url as URL, size = size as Int] in
                try await withTemporaryFolder { folder in
                    // A first download loads all that is loaded once, whatever the size of a download.
                    let client = CurlHTTPClient()
                    let loader = DataLoader(
                        client: client, store: MemoryStore(),
                        downloads: try Downloads(
                            directory: folder, client: client, retry: RetryPolicy(attempts: 2, base: .zero)))
                    let warm = try FileServer(size: 1000)
                    _ = try await loader.file(for: warm.url)
                    let before = try peakMemory()
                    let file = try await loader.file(for: url)
                    try #require(try await file.isTheServers(size))
                    let growth = try peakMemory() - before
                    try #require(growth < 20 << 20, "\(growth) bytes")
                }
            }
            #expect(server.sent == [0..<77_777_777, 77_777_777..<size])
        }

        @Test("goes on after kill -9, and less than a block of what had come is fetched again")
        func killed() async throws {
            let size = 8 << 20
            let server = try FileServer(size: size, cuts: [3_000_000])
            try await withTemporaryFolder { folder in
                let (url, path) = (server.url, folder.path)
                await #expect(processExitsWith: .signal(SIGKILL)) { [url = url as URL, path = path as String] in
                    let clock = ManualClock()
                    let downloads = try Downloads(
                        directory: URL(fileURLWithPath: path), client: CurlHTTPClient(),
                        // Cut, it waits on a clock that stands still.
                        retry: RetryPolicy(attempts: 2, base: .seconds(1), clock: clock, random: { 1 }))
                    let download = downloads.download(url)
                    for await progress in download.progress where progress.received == 3_000_000 {
                        kill(getpid(), SIGKILL)
                    }
                }
                let file = try await Downloads(directory: folder, client: CurlHTTPClient()).file(for: server.url)
                #expect(try await file.isTheServers(size))
                #expect(server.sent == [0..<3_000_000, (11 * 262_144)..<size])
            }
        }

        @Test("says that the disk is full, keeps what has come, and goes on once there is room")
        func full() async throws {
            let size = 3_000_000
            let server = try FileServer(size: size)
            try await withTemporaryFolder { folder in
                let (url, path) = (server.url, folder.path)
                await #expect(processExitsWith: .success) { [url = url as URL, path = path as String] in
                    // Files of this process may not grow beyond 1 MB, as on a full disk.
                    signal(SIGXFSZ, SIG_IGN)
                    var limit = rlimit(rlim_cur: 1_000_000, rlim_max: 1_000_000)
                    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                    let downloads = try Downloads(directory: URL(fileURLWithPath: path), client: CurlHTTPClient())
                    do {
                        _ = try await downloads.file(for: url)
                        Issue.record("it fitted")
                    } catch {
                        guard case .store(.full) = error as? DownloadError else { throw error }
                    }
                }
                let downloads = try Downloads(directory: folder, client: CurlHTTPClient())
                let kept = try #require(try await downloads.list().first).progress.received
                #expect(kept > 500_000 && kept <= 1_000_000)
                #expect(try await downloads.file(for: server.url).isTheServers(size))
                #expect(server.sent.last == kept..<size)
            }
        }
    #endif
}
