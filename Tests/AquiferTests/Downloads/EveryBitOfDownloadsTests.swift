import AquiferTesting
import EveryBit
import Foundation
import Testing

@testable import Aquifer

/// Every bit and every length of the files of `Downloads`: records, journals, bytes whole and partial, pins, uses.
@Suite("Each bit flipped and each length cut, in downloads", .timeLimit(.minutes(60)))
struct EveryBitOfDownloadsTests {
    private static let content = Data.noise(700)
    private static let base = URL(string: "http://audio.example")!
    private static let whole = base.appendingPathComponent("whole.mp3")
    private static let part = base.appendingPathComponent("part.mp3")

    /// A whole and pinned download, and one that was cut after `count` bytes.
    private static func fixture(_ world: DownloadWorld, _ content: Data, cutAfter count: Int) async throws -> Fixture {
        let remote = FileRemote(content)
        let downloads = try world.downloads(remote.client)
        _ = try await downloads.file(for: whole)
        try await downloads.pin(whole)
        remote.change { $0.cuts = [count] }
        _ = try? await downloads.file(for: part)  // it is cut
        return try Fixture(world.folder)
    }

    /// What is told of the folder without a connection. It must change nothing.
    private static func look(_ world: DownloadWorld, _ content: Data) async throws -> Verdict {
        var verdict = Verdict.unchanged
        do {
            let downloads = try world.downloads(ScriptedHTTPClient { _ in .failure(TransportError(.cannotConnect)) })
            let list = try await downloads.list()
            let damaged = try await downloads.damaged()
            if !damaged.isEmpty { verdict = .told("listed as damaged") }
            guard Set(list.map(\.url)).isSubset(of: [whole, part]) else { return .wrong("the list has \(list)") }
            let known = Set(list.map(\.url) + damaged.compactMap { $0.key.flatMap { URL(string: $0) } })
            let nameless = damaged.count { $0.key == nil }
            if 2 - known.count > nameless { return .wrong("the list leaves out a download: \(list) \(damaged)") }
            for summary in list where summary.savedAt.map({ $0 != world.date.read() }) ?? false {
                return .wrong("the list has \(summary)")
            }
            if !list.contains(where: { $0.url == whole && $0.isPinned }), damaged.isEmpty {
                return .wrong("the pin is lost")
            }
            do throws(StoreError) { try await downloads.verify(whole) } catch { verdict = .told(error) }
            if verdict == .unchanged {
                guard let file = try await downloads.saved(whole) else { return .wrong("the whole file is missing") }
                if try await file.all() != content { return .wrong("the whole file has other bytes") }
                if file.mediaType != "audio/mpeg" || file.validators.etag != "\"1\"" { return .wrong("another record") }
            }
        } catch let error as StoreError { verdict = .told(error) }
        return verdict
    }

    private func sweep(
        _ name: String, _ path: String, _ fixture: Fixture, _ world: DownloadWorld, _ content: Data, limit: Int
    ) async throws {
        let sweep = try await Sweep("Downloads: \(name)", path, of: fixture, limit: limit, mayChange: true) { damage in
            let verdict = try await Self.look(world, content)
            if case .wrong = verdict { return verdict }
            // The dates of use are written when a file is delivered.
            let left = try fixture.read(path)
            let isMended = left == fixture.bytes(path)
            if !path.hasSuffix(".used"), !isMended, left != damage.applied(to: fixture.bytes(path)) {
                return .wrong("looking at it has changed it")
            }
            // A damaged download is replaced by the next one, as is documented.
            let online: Downloads
            do { online = try world.downloads(FileRemote(content).client) } catch is StoreError { return verdict }
            for url in [Self.whole, Self.part] {
                let bytes: Data
                do {
                    bytes = try await online.file(for: url).all()
                } catch StoreError.unreadable {
                    // The file was delivered before it was read. The next download replaces it.
                    bytes = try await online.file(for: url).all()
                }
                if bytes != content { return .wrong("\(url) is delivered with other bytes") }
            }
            return verdict
        }
        #expect(sweep.wrong.isEmpty, "\(sweep)")
    }

    @Test("records, journals, bytes, pins and dates of use: its error or the value, and the next download is whole")
    func small() async throws {
        try await Fixture.withFolder { folder in
            let world = DownloadWorld(folder: folder.appendingPathComponent("downloads"))
            let fixture = try await Self.fixture(world, Self.content, cutAfter: 300)
            #expect(fixture.paths.count { $0.hasSuffix(".lock") == false } == 7)
            for path in fixture.paths where !path.hasSuffix(".lock") {
                let isGrowing = path.hasPrefix(DownloadFolder.name(of: Self.part.absoluteString))
                let suffix = path.split(separator: ".").last.map(String.init) ?? path
                let name = suffix == "data" ? (isGrowing ? "data, partial" : "data, whole") : suffix
                try await sweep(name, path, fixture, world, Self.content, limit: 80)
            }
        }
    }

    @Test("a journal with whole blocks, and their bytes: the download goes on after what is good")
    func blocks() async throws {
        try await Fixture.withFolder { folder in
            let world = DownloadWorld(folder: folder.appendingPathComponent("downloads"))
            let content = Data.noise(600_000)
            let fixture = try await Self.fixture(world, content, cutAfter: 530_000)
            let name = DownloadFolder.name(of: Self.part.absoluteString)
            for path in fixture.paths where path.hasPrefix(name) && (path.hasSuffix(".part") || path.hasSuffix(".data"))
            {
                try await sweep("two blocks, \(path.suffix(4))", path, fixture, world, content, limit: 20)
            }
        }
    }
}
