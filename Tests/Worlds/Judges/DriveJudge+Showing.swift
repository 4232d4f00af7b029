import Aquifer
import AquiferShadowDrive
import AquiferTesting
import Foundation

/// Looks at what is shown of the drive: it was the server's, it is not older than what this window showed, and nothing
/// expired is shown: each account has its own age.
extension DriveJudge {
    /// The showings of one life of a window.
    struct Shown {
        /// The storage of each account, and when it was seen.
        var reserved: [PublicKey: (bytes: UInt64, date: Date)] = [:]
        /// The number of the version of each file, by account and name; -1 while it had none.
        var versions: [String: Int] = [:]
    }

    private static let week: TimeInterval = 7 * 24 * 3600
    /// A node may be this far behind, and an answer as long under way.
    private static let lag: TimeInterval = 60
    /// The longest time from a load's beginning to the stamp of its copy.
    private static let longest: TimeInterval = 900

    func fail(_ error: LoadError, isLast: Bool) {
        guard world.callerIsAlive else { return }
        world.note("no list: \(error)")
        world.expect(!isLast, "no list although all is calm: \(error)")
        guard calm != nil, clocksAreRight else { return }
        for (account, date) in confirmed.sorted(by: { $0.value < $1.value }) {
            world.expect(
                world.date.timeIntervalSince(date) > Self.week - 3600,
                "\(account) is saved, and was not shown: \(error)")
        }
    }

    /// An account was created, and is in the saved list.
    func saved(_ account: StorageAccount) {
        if world.callerIsAlive, calm != nil { confirmed[account.address] = world.date }
    }

    /// - Parameters:
    ///   - life: one life of a window, in which nothing else loads the list.
    ///   - asked: the true date when it asked.
    func see(_ loaded: Loaded<AccountList>, by life: String, asked: Date, now: Date) {
        guard world.callerIsAlive else { return }
        let list = loaded.value
        world.note("sees \(list.accounts.map(\.identifier)) \(loaded.source)")
        let isRemote = loaded.source == .remote
        /// All that had happened by then must be in it.
        var certain = asked.addingTimeInterval(-Self.lag)
        if case .cache(let savedAt, _) = loaded.source {
            certain = savedAt.addingTimeInterval(-Self.longest)
            let age = now.timeIntervalSince(savedAt)
            world.expect(!clocksAreRight || age <= Self.week + 60, "the list was shown expired: \(age) s old")
        }
        // With wrong clocks nobody can say which of two answers that overlapped is newer.
        if !clocksAreRight { certain = .distantPast }
        for account in list.accounts { check(account, by: life, certain) }
        for real in chain.accounts where real.date < certain && list.isComplete {
            world.expect(list.accounts.contains { $0.address == real.address }, "\(real.name) is missing")
        }
        if isRemote {
            if calm != nil, loaded.saveError == nil {
                for account in list.accounts { confirmed[account.address] = world.date }
            }
        } else if clocksAreRight {
            checkAges(list)
        }
        if loaded.saveError == nil {
            for account in list.accounts {
                shown[life, default: Shown()].reserved[account.address] = (account.reservedBytes, world.date)
            }
        }
    }

    private func check(_ account: StorageAccount, by life: String, _ certain: Date) {
        guard let real = chain.accounts.first(where: { $0.address == account.address }),
            real.name == account.identifier, account.reservedBytes >= Self.size
        else { return world.expect(false, "\(account.identifier) was shown, and is none of the chain's") }
        let (extra, all) = (account.reservedBytes - Self.size, real.additions.dropFirst())
        let sum = all.reduce(0) { $0 + $1.bytes }
        world.expect(extra & ~sum == 0, "\(real.name) was shown with \(extra) more bytes, and has \(sum)")
        // What happened long ago, or was seen long ago, stays.
        let before = shown[life]?.reserved[account.address]
        for addition in all {
            let wasSeen = before.map { ($0.bytes - Self.size) & addition.bytes != 0 } ?? false
            let isOld = addition.date < certain
            let isLong = wasSeen && before.map { addition.date < $0.date.addingTimeInterval(-Self.longest) } == true
            world.expect(
                extra & addition.bytes != 0 || !(isOld || isLong),
                "\(real.name) was shown without its addition of \(addition.bytes) bytes")
        }
    }

    /// Each account is as old as its own confirmation.
    private func checkAges(_ list: AccountList) {
        guard let calm else { return }
        for account in list.accounts {
            let age = world.date.timeIntervalSince(confirmed[account.address] ?? calm)
            world.expect(age <= Self.week + 3600, "\(account.identifier) was shown, \(age) s after it was confirmed")
        }
        for (address, date) in confirmed.sorted(by: { $0.value < $1.value }) {
            let isFresh = world.date.timeIntervalSince(date) < Self.week - 3600
            world.expect(
                !isFresh || list.accounts.contains { $0.address == address }, "\(address) is saved, and was not shown")
        }
    }

    // MARK: Files

    func see(_ loaded: Loaded<AccountContents>, of account: PublicKey, by life: String, asked: Date, now: Date) {
        guard world.callerIsAlive else { return }
        let files = loaded.value.files
        world.note("sees \(files.map { "\($0.name) \($0.size)" }) \(loaded.source)")
        if case .cache(let savedAt, _) = loaded.source {
            let age = now.timeIntervalSince(savedAt)
            world.expect(!clocksAreRight || age <= Self.week + 60, "the contents were shown expired: \(age) s old")
        }
        for name in (0..<3).map({ "file\($0)" }) {
            let versions = server.files["\(account)"]?[name] ?? []
            let size = files.first { $0.name == name }.map { Int($0.size) }
            var least = shown[life]?.versions["\(account) \(name)"] ?? -1
            // A clock that was set back while the request was under way makes its answer look older than the saved one.
            if loaded.source == .remote, clocksAreRight {
                least = max(least, versions.lastIndex { $0.date < asked } ?? -1)
            }
            let found = (max(least, -1)..<versions.count).first { number in
                number < 0 ? size == nil : versions[number].bytes?.count == size
            }
            guard let found else {
                world.expect(false, "\(name) was shown with \(size ?? -1) bytes, after version \(least)")
                continue
            }
            if loaded.saveError == nil { shown[life, default: Shown()].versions["\(account) \(name)"] = found }
        }
    }
}
