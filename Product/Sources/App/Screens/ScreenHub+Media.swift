import Aquifer
import AquiferAudioFeed
import AquiferImageFeed
import Foundation

/// The pictures and clips that tabs show. The server loads nothing else for a page, so that it is no open proxy.
extension ScreenHub {
    /// The address of a contact's picture, for a tab that shows the contact.
    func avatar(_ id: Int, tab: String) -> URL? {
        let listed = opened(ContactsScreen.self, tab: tab).flatMap { $0.model.list.value ?? [] }
        let paid = opened(PaymentScreen.self, tab: tab).compactMap(\.model.contact)
        return (listed + paid).first { $0.id == id }?.imageURL
    }

    /// An item of a tab's feed.
    func feedItem(_ id: UUID, tab: String) -> FeedItem? {
        opened(FeedScreen.self, tab: tab).flatMap { $0.model.list.value?.allItems ?? [] }.first { $0.id == id }
    }

    /// A clip that a tab shows, with its item in the outbox if it waits to be posted.
    func clip(_ id: UUID, tab: String) -> (clip: AudioClip, item: Outbox.ID?)? {
        for model in opened(AudioScreen.self, tab: tab).map(\.model) {
            if let clip = model.clip(id) { return (clip, model.waiting[clip.id]?.id) }
        }
        return nil
    }
}
