import Aquifer
import AquiferAudioFeed
import AquiferTesting
import Foundation

/// What the badge says is true: a clip that is said to be available offline plays without a request. What is kept is
/// renewed while the app is online.
final class ClipsJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.
    private static let week: TimeInterval = 7 * 24 * 3600
    private let world: Simulation
    private let server: ClipsServer
    /// Since when the app runs and nothing has changed around it.
    private var quiet: Date

    init(_ world: Simulation, _ server: ClipsServer) {
        (self.world, self.server, quiet) = (world, server, world.date)
    }

    /// The app was started, or the network has changed.
    func begin() { if world.callerIsAlive { quiet = world.date } }

    /// A clip was played without a connection, because its badge says that this is possible.
    func play(_ clip: AudioClip, _ bytes: Data?, savedAt: Date?, now: Date) {
        guard world.callerIsAlive else { return }
        let versions = server.sounds[clip.audio.lastPathComponent] ?? []
        guard let bytes else {
            // The date may have jumped, or the clip may have expired, in between.
            let isLate = world.faults.struck[.clockSkew] != nil || world.faults.areOn
            return world.expect(isLate, "\(clip.title) is said to be available offline, and is not")
        }
        let age = now.timeIntervalSince(savedAt ?? .distantPast)
        // The date may have jumped between the look and the reading.
        world.expect(
            age < Self.week || world.faults.struck[.clockSkew] != nil,
            "\(clip.title) was played \(Int(age)) s after the server had confirmed it")
        let version = versions.lastIndex(of: bytes)
        world.expect(version != nil, "\(clip.title) was played as \(bytes.count) bytes that the server never had")
        world.note("plays sound \(version ?? -1) of \(clip.title)")
    }

    func cannotPlay(_ clip: AudioClip, _ error: StoreError) {
        guard world.callerIsAlive else { return }
        world.note("cannot play \(clip.title): \(error)")
        world.expect(world.faults.areOn, "\(clip.title) is said to be available offline, and cannot be read: \(error)")
    }

    /// The app has just renewed what is kept.
    func look(at all: [DownloadSummary], now: Date) {
        guard world.callerIsAlive, world.network.isUp, !world.faults.areOn, world.faults.struck[.clockSkew] == nil,
            world.date.timeIntervalSince(quiet) > 4 * 3600
        else { return }
        // A kill may leave a pin of what has not arrived; its badge does not say that it is there.
        for kept in all where kept.isPinned && kept.isWhole {
            let age = now.timeIntervalSince(kept.savedAt ?? .distantPast)
            world.expect(age < 26 * 3600, "\(kept.url) is kept, and was not renewed for \(Int(age)) s while online")
        }
    }
}
