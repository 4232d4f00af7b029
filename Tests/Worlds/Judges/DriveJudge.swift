import Aquifer
import AquiferShadowDrive
import AquiferTesting
import Foundation

/// Knows what the owner has asked of the drive and what was told, and compares it with the chain and the server: nothing
/// done twice, nothing told as unmade that was made, nothing told as made that was not.
///
/// What is shown is judged in `DriveJudge+Showing.swift`.
final class DriveJudge: @unchecked Sendable {
    // One thread at a time runs in a simulation.

    enum Told: String {
        case made, unmade, unknown

        init(_ error: DriveError) { self = error.isOutcomeUnknown ? .unknown : .unmade }
    }

    /// The size of a new account. Each addition is another power of four, so that a sum names its parts.
    static let size: UInt64 = 1 << 34

    struct Upload {
        let account: PublicKey
        let bytes: Data
        var told: Told?
    }

    let world: Simulation
    let server: StorageServer
    let clocksAreRight: Bool
    private var accounts: [String: Told?] = [:]
    private var additions: [UInt64: Told?] = [:]
    private var uploads: [String: Upload] = [:]
    /// When the faults had ended, and what they left had come to rest.
    private(set) var calm: Date?
    var shown: [String: Shown] = [:]
    /// When each account was last confirmed by the server and saved, in the calm.
    var confirmed: [PublicKey: Date] = [:]

    init(_ world: Simulation, _ server: StorageServer, clocksAreRight: Bool) {
        (self.world, self.server, self.clocksAreRight) = (world, server, clocksAreRight)
    }

    var chain: Chain { server.chain }
    /// The addresses of the accounts that the owner has learned of by now.
    var known: [PublicKey] { chain.confirmed(at: chain.slot).map(\.address) }

    func beginCalm() { calm = world.date }

    // MARK: What is asked

    func newAccount() -> String? {
        guard world.callerIsAlive, accounts.count < 12 else { return nil }
        let name = "account \(accounts.count)"
        accounts[name] = .some(nil)
        return name
    }

    func newAddition() -> UInt64? {
        guard world.callerIsAlive, additions.count < 16 else { return nil }
        let bytes = UInt64(1) << UInt64(2 * additions.count)
        additions[bytes] = .some(nil)
        return bytes
    }

    /// The path and the bytes of a new file. Some have the same length.
    func newFile(named name: String, in account: PublicKey) -> (path: String, bytes: Data) {
        let number = uploads.count
        let path = "/disk/files/\(number)/\(name)"
        let bytes = Data("content \(1000 + number)".utf8) + Data(repeating: 0x61, count: 20 * (number % 3))
        uploads[path] = Upload(account: account, bytes: bytes)
        return (path, bytes)
    }

    // MARK: What is told

    func tell(_ told: Told, account name: String, because error: DriveError? = nil) {
        guard world.callerIsAlive else { return }
        world.note("\(name) is \(told)\(error.map { ": \($0)" } ?? "")")
        accounts[name] = .some(told)
    }

    func tell(_ told: Told, addition bytes: UInt64, because error: DriveError? = nil) {
        guard world.callerIsAlive else { return }
        world.note("\(bytes) more bytes are \(told)\(error.map { ": \($0)" } ?? "")")
        additions[bytes] = .some(told)
    }

    func tell(_ told: Told, file path: String, because error: DriveError? = nil) {
        guard world.callerIsAlive else { return }
        world.note("\(path) is \(told)\(error.map { ": \($0)" } ?? "")")
        uploads[path]?.told = told
    }

    func tellDeleted(_ name: String, of account: PublicKey, asked: Date) {
        guard world.callerIsAlive else { return }
        world.note("\(name) is told as deleted")
        let isDeleted = server.files["\(account)"]?[name]?.contains { $0.bytes == nil && $0.date >= asked } == true
        world.expect(isDeleted, "\(name) was told as deleted, and was not")
    }

    /// Every answer comes within its bound of time.
    func bound(_ began: SimulatedClock.Instant, _ what: String) {
        let took = began.duration(to: world.clock.now)
        world.expect(took < .seconds(1800), "\(what) took \(took)")
    }

    // MARK: The end

    func compare() {
        chain.settle()
        for (name, told) in accounts.sorted(by: { $0.key < $1.key }) {
            check(chain.accounts.count { $0.name == name }, told, "\(name)")
        }
        for (bytes, told) in additions.sorted(by: { $0.key < $1.key }) {
            let added = chain.accounts.map { $0.additions.count { $0.bytes == bytes } }.reduce(0, +)
            check(added, told, "the addition of \(bytes) bytes")
        }
        for (path, upload) in uploads.sorted(by: { $0.key < $1.key }) {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let versions = server.files["\(upload.account)"]?[name] ?? []
            check(versions.count { $0.bytes == upload.bytes }, upload.told, path)
        }
    }

    private func check(_ count: Int, _ told: Told?, _ what: String) {
        world.expect(count <= 1, "\(what) was made \(count) times")
        world.expect(told != .made || count == 1, "\(what) was told as made, and was not")
        world.expect(told != .unmade || count == 0, "\(what) was told as not made, and was")
    }
}
