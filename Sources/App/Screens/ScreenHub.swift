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
    /// What a page asks for: a screen, in its tab.
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
        }
        let tab: String
        let kind: Kind
    }

    /// How long a screen that nobody watches is kept: a reload, or a return by the back button, finds it again.
    private static let keep = Duration.minutes(10)
    /// More screens than any customer has open: a bound on what a runaway script can take.
    private static let most = 500

    private let services: Services
    private var sessions: [Address: ScreenSession] = [:]
    /// One a tab: what one tab's preview makes is not for the others.
    private var centers: [String: NotificationCenter] = [:]
    private let foaasSettings: FoaasSettings
    private var knownDrive: DriveAccess?
    /// Sends what waits in the outbox.
    let runner: OutboxRunner

    init(_ services: Services) {
        self.services = services
        foaasSettings = FoaasSettings(services.foaas)
        runner = OutboxRunner(services.outbox)
    }

    /// The screen at an address, made when it is first asked for.
    func session(_ address: Address) -> ScreenSession {
        if let session = sessions[address] { return session }
        forgetUnused()
        let session = ScreenSession(make(address))
        sessions[address] = session
        return session
    }

    /// Shadow Drive for all screens, made when it is first needed, and anew while the key is not usable.
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
        switch address.kind {
        case .feed: FeedScreen(services.feed, tab: address.tab)
        case .comments(let image): CommentsScreen(services.feed, image: image)
        case .contacts: ContactsScreen(services.payments, tab: address.tab)
        case .payment(let contact): PaymentScreen(services.payments, contact: contact, tab: address.tab)
        case .cards: CardsScreen(services.payments)
        case .cardForm: CardFormScreen(services.payments)
        case .payments: PaymentsScreen(services.payments)
        case .foaas: FoaasScreen(services.foaas, foaasSettings, center: center(address.tab))
        case .foaasOperations: FoaasOperationsScreen(services.foaas)
        case .foaasPreview(let operation): preview(of: operation, tab: address.tab)
        case .foaasSettings: FoaasSettingsScreen(foaasSettings)
        case .audio: AudioScreen(services.audio)
        case .audioCompose: AudioComposeScreen(services.audio, uploads: services.uploads)
        case .outbox: OutboxScreen(services.outbox, runner)
        case .drive: DriveScreen(drive)
        case .driveCreate: DriveCreateScreen(drive)
        case .driveAccount(let account): DriveAccountScreen(drive, account: account, uploads: services.uploads)
        }
    }

    private func preview(of operation: String, tab: String) -> FoaasPreviewScreen {
        // Who is to show what the preview makes must be there to hear of it.
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
