import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

/// A remote with one file. It answers ranges as servers do, cuts answers as the test says, and records the ranges it
/// sent.
final class FileRemote: Sendable {
    struct State {
        var content: Data
        var fields: HTTPHeaders = ["ETag": "\"1\"", "Content-Type": "audio/mpeg; x=y"]
        /// The numbers of bytes after which the next answers are cut.
        var cuts: [Int] = []
        var knowsRanges = true
        var announcesLength = true
        /// The most bytes of one partial answer.
        var slice = Int.max
        /// The ranges that were sent.
        var sent: [Range<Int>] = []
    }

    let state: Locked<State>

    init(_ content: Data, _ change: (inout State) -> Void = { _ in }) {
        var state = State(content: content)
        change(&state)
        self.state = Locked(state)
    }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    var client: ScriptedHTTPClient { ScriptedHTTPClient { [self] in reply(to: $0) } }

    /// True if every byte was sent once.
    var sentEachByteOnce: Bool {
        state.withLock { state in
            let sent = state.sent.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
            return sent.first?.lowerBound == 0 && sent.last?.upperBound == state.content.count
                && zip(sent, sent.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound }
        }
    }

    func reply(to request: HTTPRequest) -> ScriptedHTTPClient.Reply {
        state.withLock { state in
            let size = state.content.count
            var range = 0..<size
            var fields = state.fields
            if let etag = fields["ETag"], request.headers["If-None-Match"] == etag {
                return .answer(status: 304, headers: fields)
            }
            let asked = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
            let tag = request.headers["If-Range"]
            var status = 200
            if state.knowsRanges, let asked, tag == fields["ETag"] ?? fields["Last-Modified"] {
                guard asked < size else {
                    return .answer(status: 416, headers: ["Content-Range": "bytes */\(size)"])
                }
                range = asked..<(size - asked > state.slice ? asked + state.slice : size)
                fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
                status = 206
            }
            if state.announcesLength { fields["Content-Length"] = "\(range.count)" }
            var error: TransportError?
            if !state.cuts.isEmpty {
                range = range.lowerBound..<min(range.upperBound, range.lowerBound + state.cuts.removeFirst())
                error = TransportError(.interrupted)
            }
            state.sent.append(range)
            // The pieces fit no block.
            let chunks = stride(from: range.lowerBound, to: range.upperBound, by: 50_000).map {
                state.content[$0..<min($0 + 50_000, range.upperBound)]
            }
            return .stream(status: status, headers: fields, chunks: chunks.map { Data($0) }, error: error)
        }
    }
}

extension Data {
    /// Bytes that do not repeat themselves, the same each time.
    static func noise(_ count: Int, seed: UInt64 = 1) -> Data {
        var generator = SeededNumbers(seed: seed)
        let words = (0...(count / 8)).map { _ in generator.next() }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }
}

/// A folder of downloads with everything under a test's control.
struct DownloadWorld {
    let folder: URL
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let clock = ManualClock()
    let url = URL(string: "http://audio.example/1.mp3")!

    static func with(_ use: (DownloadWorld) async throws -> Void) async throws {
        try await TemporaryFolder.with { try await use(DownloadWorld(folder: $0.appendingPathComponent("downloads"))) }
    }

    /// The downloads of a process of its own, as far as the folder can tell.
    ///
    /// - Parameter clock: the clock for waiting for another process. The flush after a delivery may hold the lock for a moment, and is as
    ///   fast as the device: who meets it waits for it by the time of day.
    func downloads(
        _ client: any HTTPClient, bound: Int = 1 << 30, limit: Int = 4 << 30, retry: RetryPolicy = .never,
        patience: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(), in folder: URL? = nil,
        check: @escaping Downloads.Check = Downloads.defaultCheck
    ) throws -> Downloads {
        try Downloads(
            directory: folder ?? self.folder, client: client, bound: bound, limit: limit, retry: retry,
            patience: patience, clock: clock, now: date.read, check: check)
    }

    /// The error of a download of the URL; `nil` if it threw none.
    func failure(
        _ client: any HTTPClient, limit: Int = 4 << 30, retry: RetryPolicy = .never,
        check: @escaping Downloads.Check = Downloads.defaultCheck
    ) async throws -> DownloadError? {
        let downloads = try downloads(client, limit: limit, retry: retry, check: check)
        do throws(DownloadError) {
            _ = try await downloads.file(for: url)
            return nil
        } catch { return error }
    }

    /// Lets time pass while somebody waits for it, until it is cancelled.
    func tick() -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                if !clock.sleepers.isEmpty { clock.advance(by: .milliseconds(50)) }
                await Task.yield()
            }
        }
    }

    /// A policy that tries again at once.
    func retry(_ attempts: Int) -> RetryPolicy { RetryPolicy(attempts: attempts, base: .zero, random: { 0 }) }

    /// The files there are, by the end of their names.
    func files(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.path.hasSuffix(suffix) }
    }

    /// The number of files of bytes, and of journals.
    var counts: [String: Int] {
        get throws { [".part": try files(".part").count, ".data": try files(".data").count] }
    }

    /// Flips one bit of the only file of this suffix.
    func flipBit(_ suffix: String, at place: Int) throws {
        let file = try files(suffix)[0]
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: UInt64(place))
        let byte = try handle.read(upToCount: 1)![0]
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: [byte ^ 0x10])
        try handle.close()
    }
}

extension Downloads {
    /// The bytes of a download, read to the end as they come.
    func bytes(of url: URL) async throws -> Data { try await download(url).bytes().all() }
}

extension DownloadBytes {
    func all() async throws -> Data { try await reduce(into: Data()) { $0 += $1 } }
}

extension DownloadedFile {
    func all() async throws -> Data { try await read(0..<length) }
}

extension DownloadWorld {
    /// The bytes that ``begunDownload(_:of:)`` lets arrive.
    static let begun = 300_000

    /// A download whose first bytes have arrived, and are on disk.
    func begunDownload(_ client: ScriptedHTTPClient, of content: Data) async throws -> (Download, ScriptedExchange) {
        let download = try downloads(client).download(url)
        let exchange = await client.exchange(0)
        exchange.start(headers: ["ETag": "\"1\"", "Content-Length": "\(content.count)"])
        exchange.send(content.prefix(Self.begun))
        for await progress in download.progress where progress.received == Self.begun { break }
        return (download, exchange)
    }

    /// Expects that another process waits for a download under way only so long, and is told that it is busy.
    func expectBusy() async throws {
        let other = try downloads(ScriptedHTTPClient([]), clock: clock).download(url)
        let ticking = tick()
        let error = await AquiferTesting.failure { () async throws(DownloadError) in try await other.file() }
        ticking.cancel()
        guard case .store(.busy) = error else {
            Issue.record("it was not told that another process has it")
            return
        }
        #expect(clock.now.offset >= .seconds(30))
    }
}
