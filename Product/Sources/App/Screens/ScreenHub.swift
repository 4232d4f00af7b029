import Aquifer
import AquiferFoaas
import AquiferPayments
import Foundation

/// The screens of all open tabs, and what they share.
@MainActor
final class ScreenHub {
    /// The time that an unwatched screen is kept, so that a reload or the back button finds it again.
    private static let keep = Duration.minutes(10)
    /// The maximum number of screens. It is more than any user has open, and bounds the memory a runaway script can
    /// use.
    private static let most = 500

    let services: Services
    private var sessions: [ScreenAddress: ScreenSession] = [:]
    /// The notification centers, one for each tab: a phrase of one tab's preview is not for the other tabs.
    private var centers: [String: NotificationCenter] = [:]
    /// The settings of the phrases.
    let foaasSettings: FoaasSettings
    /// The phrases that the user likes best.
    let foaasFavorites: FoaasFavorites
    private var knownDrive: DriveAccess?
    private var following: OwnedTask?
    private var checking: OwnedTask?
    /// This machine's network.
    let network = MachineNetwork()
    private var watching: OwnedTask?
    /// The payments at a glance.
    let glance: PaymentsGlance
    /// Sends the items of the outbox.
    let runner: OutboxRunner
    /// Renews the clips that the user keeps.
    let keptClips: KeptClipsRunner

    init(_ services: Services) {
        self.services = services
        foaasSettings = FoaasSettings(services.foaas)
        foaasFavorites = FoaasFavorites(services.foaas)
        glance = PaymentsGlance(services.payments)
        // No quota refuses a pause.
        runner = OutboxRunner(services.outbox, in: services.user?.scope.store ?? services.groundwork.queue)
        keptClips = KeptClipsRunner(services.audio)
    }

    /// The screen at an address, created on first use; `nil` if there is no such screen.
    func session(at address: ScreenAddress) -> ScreenSession? {
        Screens.named(address.name).flatMap { session(of: $0, at: address) }
    }

    /// A screen of a tab, created on first use; `nil` if it cannot show this.
    func screen<Kind: Screen>(_ kind: Kind.Type, tab: String, showing subject: String = "") -> Kind? {
        session(of: kind, at: ScreenAddress(name: kind.name, tab: tab, subject: subject))?.screen as? Kind
    }

    /// The screens of a kind that a tab has opened.
    func opened<Kind: Screen>(_ kind: Kind.Type, tab: String) -> [Kind] {
        sessions.filter { $0.key.tab == tab && $0.key.name == kind.name }.compactMap { $0.value.screen as? Kind }
    }

    /// There is a connection again: all screens load what they lack.
    func connectionRestored() {
        for session in sessions.values { session.connectionRestored() }
        if checking != nil { Task { await glance.check() } }
    }

    /// Watches the payments whose outcome is unknown, and checks them now and then, from the first page on.
    func watchPayments() {
        guard checking == nil else { return }
        checking = OwnedTask { [glance] in await glance.run() }
    }

    /// Tells the screens each time that the connection of this machine comes back, as long as this hub exists.
    func follow(_ monitor: any ConnectionMonitor) {
        let tell: @Sendable () async -> Void = { [weak self] in await self?.connectionRestored() }
        following = OwnedTask { await monitor.eachReturn(tell) }
        watching = OwnedTask { [network] in await network.follow(monitor) }
    }

    /// Shadow Drive for all screens, created on first use. While the key is not usable, each use creates it again.
    var drive: DriveAccess {
        if let knownDrive, knownDrive.problem == nil { return knownDrive }
        let access = services.driveForPages()
        knownDrive = access
        return access
    }

    /// The notification center of a tab, created on first use.
    func center(_ tab: String) -> NotificationCenter {
        if let center = centers[tab] { return center }
        let center = NotificationCenter()
        centers[tab] = center
        return center
    }

    /// Returns when the intents of all screens have ended, such as a payment or a post under way. The loads among them have been
    /// cancelled by then if nobody watches their screen any more.
    func finish() async {
        for session in sessions.values { await session.finish() }
    }

    /// Renews the forms of pages that are open, and then removes those that were left.
    ///
    /// - Parameter drafts: the store of the forms.
    func sweepDrafts(_ drafts: any CacheStore) async {
        for session in sessions.values where session.isWatched {
            await (session.screen as? AudioComposeScreen)?.shelf?.renew()
        }
        await DraftFiles.sweep(drafts, now: services.configuration.now())
    }

    private func session(of kind: any Screen.Type, at address: ScreenAddress) -> ScreenSession? {
        if let session = sessions[address] { return session }
        forgetUnused()
        guard let screen = kind.init(address, in: self) else { return nil }
        let session = ScreenSession(screen)
        sessions[address] = session
        return session
    }

    private func forgetUnused() {
        let limit = ContinuousClock.now - Self.keep
        sessions = sessions.filter { $0.value.isWatched || $0.value.lastUse > limit }
        if sessions.count >= Self.most {
            let oldest = sessions.filter { !$0.value.isWatched }.min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { sessions[oldest.key] = nil }
        }
        let tabs = Set(sessions.keys.map(\.tab))
        centers = centers.filter { tabs.contains($0.key) }
    }
}
