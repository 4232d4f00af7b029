import Aquifer
import AudioFeed
import Foaas
import Foundation
import ImageFeed
import Payments
import ShadowDrive

/// The screens of all open tabs.
@MainActor
final class ScreenHub {
    /// The address of a screen: its tab and its kind.
    struct Address: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case feed
            case comments(image: UUID)
            case contacts
            case payment(contact: Int)
            case cards
            case cardForm
            case payments
            case foaas
            case foaasOperations
            case foaasPreview(operation: String)
            case foaasSettings
            case audio
            case audioCompose
            case outbox
            case drive
            case driveCreate
            case driveAccount(account: String)

            /// True if this is a screen of the phrases.
            var isOfFoaas: Bool {
                switch self {
                case .foaas, .foaasOperations, .foaasPreview, .foaasSettings: true
                default: false
                }
            }
        }
        let tab: String
        let kind: Kind
    }

    /// The time that an unwatched screen is kept, so that a reload or the back button finds it again.
    private static let keep = Duration.minutes(10)
    /// The maximum number of screens. It is more than any user has open, and bounds the memory a runaway script can
    /// use.
    private static let most = 500

    private let services: Services
    private var sessions: [Address: ScreenSession] = [:]
    /// The notification centers, one for each tab: a phrase of one tab's preview is not for the other tabs.
    private var centers: [String: NotificationCenter] = [:]
    private let foaasSettings: FoaasSettings
    private var knownDrive: DriveAccess?
    /// Sends the items of the outbox.
    let runner: OutboxRunner
    /// Renews the clips that the user keeps.
    let keptClips: KeptClipsRunner

    init(_ services: Services) {
        self.services = services
        foaasSettings = FoaasSettings(services.foaas)
        runner = OutboxRunner(services.outbox)
        keptClips = KeptClipsRunner(services.audio)
    }

    /// The screen at an address, created on first use.
    func session(_ address: Address) -> ScreenSession {
        if let session = sessions[address] { return session }
        forgetUnused()
        let session = ScreenSession(make(address))
        sessions[address] = session
        return session
    }

    /// Shadow Drive for all screens, created on first use. While the key is not usable, each use creates it again.
    var drive: DriveAccess {
        if let knownDrive, knownDrive.problem == nil { return knownDrive }
        let access = services.driveForPages()
        knownDrive = access
        return access
    }

    /// The address of a contact's picture, for a tab that shows contacts.
    func avatar(_ id: Int, tab: String) -> URL? {
        if let screen = sessions[Address(tab: tab, kind: .contacts)]?.screen as? ContactsScreen,
            let contact = screen.model.list.value?.first(where: { $0.id == id })
        {
            return contact.imageURL
        }
        let screen = sessions[Address(tab: tab, kind: .payment(contact: id))]?.screen as? PaymentScreen
        return screen?.model.contact?.imageURL
    }

    /// The address of a picture in a tab's feed.
    func picture(_ id: UUID, tab: String) -> URL? {
        let screen = sessions[Address(tab: tab, kind: .feed)]?.screen as? FeedScreen
        return screen?.model.items.first { $0.id == id }?.image
    }

    /// A clip that a tab shows.
    func clip(_ id: UUID, tab: String) -> AudioClip? {
        let screen = sessions[Address(tab: tab, kind: .audio)]?.screen as? AudioScreen
        return screen?.model.clips.first { $0.id == id }
    }

    private func make(_ address: Address) -> any Screen {
        if address.kind.isOfFoaas {
            let services = services
            Task { await services.startFoaas() }
        }
        return screen(address)
    }

    private func screen(_ address: Address) -> any Screen {
        switch address.kind {
        case .feed: FeedScreen(services.feed, tab: address.tab)
        case .comments(let image): CommentsScreen(services.feed, image: image)
        case .contacts: ContactsScreen(services.payments, tab: address.tab)
        case .payment(let contact): PaymentScreen(services.payments, contact: contact, tab: address.tab)
        case .cards: CardsScreen(services.payments)
        case .cardForm: CardFormScreen(services.payments)
        case .payments: PaymentsScreen(services.payments)
        case .foaas: FoaasScreen(services.foaas, foaasSettings, center: center(address.tab))
        case .foaasOperations: FoaasOperationsScreen(services.foaas, center: services.foaasCenter)
        case .foaasPreview(let operation): preview(of: operation, tab: address.tab)
        case .foaasSettings: FoaasSettingsScreen(foaasSettings)
        case .audio: AudioScreen(services.audio, tab: address.tab)
        case .audioCompose: AudioComposeScreen(services.audio, uploads: services.uploads)
        case .outbox: OutboxScreen(services.outbox, runner)
        case .drive: DriveScreen(drive)
        case .driveCreate: DriveCreateScreen(drive)
        case .driveAccount(let account): DriveAccountScreen(drive, account: account, uploads: services.uploads)
        }
    }

    private func preview(of operation: String, tab: String) -> FoaasPreviewScreen {
        // The screen that shows the preview's phrase must exist before the notification is posted.
        _ = session(Address(tab: tab, kind: .foaas))
        return FoaasPreviewScreen(services.foaas, foaasSettings, operation: operation, center: center(tab))
    }

    private func center(_ tab: String) -> NotificationCenter {
        if let center = centers[tab] { return center }
        let center = NotificationCenter()
        centers[tab] = center
        return center
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
