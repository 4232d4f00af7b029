import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

@Suite("The watch of a folder", .timeLimit(.minutes(10)))
struct FolderWatchTests {
    @Test("is tried again each second while it cannot begin, and says then that anything may have happened")
    func late() async throws {
        try await TemporaryFolder.with { root in
            let folder = root.appendingPathComponent("folder")
            let clock = ManualClock()
            let told = Locked<[FolderEvent]>([])
            let watch = FolderWatch.begin(folder.path, names: nil, clock: clock) { event in
                told.withLock { $0.append(event) }
            }
            for _ in 0..<3 {
                await clock.waitForSleepers()
                #expect(clock.sleepers == [.seconds(1)])
                clock.advance(by: .seconds(1))
            }
            await clock.waitForSleepers()
            #expect(told.withLock { $0.isEmpty })
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            clock.advance(by: .seconds(1))
            #expect(await eventually { told.withLock { $0 } == [.unknown] })
            try Data("1".utf8).write(to: folder.appendingPathComponent("a"))
            #expect(await eventually { told.withLock { $0.count } > 1 })
            #expect(clock.sleepers.isEmpty)
            watch.cancel()
        }
    }

    @Test("is tried no more when it has ended, or was released, before it could begin", arguments: [true, false])
    func ended(isReleased: Bool) async throws {
        try await TemporaryFolder.with { root in
            let folder = root.appendingPathComponent("folder")
            let clock = ManualClock()
            var watch: StoreObservation? = FolderWatch.begin(folder.path, names: nil, clock: clock) { _ in }
            await clock.waitForSleepers()
            if isReleased { watch = nil } else { watch?.cancel() }
            #expect(await eventually { clock.sleepers.isEmpty })
            withExtendedLifetime(watch) {}
        }
    }
}
