import Aquifer
import AquiferTesting
import Foundation

/// Looks at each file that is delivered: all of its bytes are those of one version of the server's, and the copy is not
/// expired.
struct FilesJudge: Sendable {
    private let world: Simulation
    private let server: FilesServer
    private let maxAge: Duration

    init(_ world: Simulation, _ server: FilesServer, maxAge: Duration) {
        (self.world, self.server, self.maxAge) = (world, server, maxAge)
    }

    func see(_ bytes: Data, of file: String) {
        guard world.callerIsAlive, let versions = server.versions[file] else { return }
        let version = versions.lastIndex { $0.bytes == bytes }
        world.expect(version != nil, "\(file) was delivered as \(bytes.count) bytes that the server never had")
        world.note("reads version \(version ?? -1) of \(file)")
    }

    func see(stamp: Date, of file: String, now: Date) {
        let age = now.timeIntervalSince(stamp)
        // The date may have jumped since it was judged.
        if world.faults.struck[.clockSkew] == nil {
            world.expect(age <= maxAge.timeInterval + 60, "\(file) was delivered expired: \(age) s old")
        }
    }
}
