import Aquifer
import AquiferAudioFeed
import AquiferFoaas
import AquiferImageFeed
import AquiferPayments
import AquiferShadowDrive
import Foundation

/// The entries that the apps save. Bytes with a correct checksum are still unusable if they cannot be decoded.
enum KnownEntries {
    /// All families. The family with the longest prefix of a key decides.
    static let families: [EntryFamily] =
        FeedService.entries + PaymentsService.entries + FoaasService.entries + AudioFeedService.entries
        + ShadowDriveService.entries + [pictures, driveFiles]

    /// The files of the drive that were shown. Any bytes are a file.
    static let driveFiles = EntryFamily("drive-file:") { _ in }

    private static let pictures = EntryFamily(DataLoader.keyPrefix) { bytes in
        if PictureCheck.mediaType(of: bytes) == nil { throw InvalidData.body("no picture") }
    }

    /// The family of a key; `nil` if no app saves such entries.
    static func family(of key: String) -> EntryFamily? {
        families.filter { $0.contains(key) }.max { $0.prefix.count < $1.prefix.count }
    }

    /// True if an entry of the user's own store is what its user has made, as the favorites are. Nothing can load it again, and no
    /// tidying up deletes it, damaged as it may be. Other entries there are made anew: the phrases seen, and the settings. An entry
    /// whose key cannot be told may be any of them.
    static func isIrreplaceable(_ key: String) -> Bool {
        guard let family = family(of: key) else { return true }
        return FoaasService.irreplaceable.contains { $0.prefix == family.prefix }
    }

    /// True if an entry of the user's own store, which has everything of its user, is known to be something else than a payment.
    static func isNoPayment(_ key: String) -> Bool {
        family(of: key) != nil || Outbox.hasEntry(key) || others.contains(where: key.hasPrefix)
    }

    /// The entries of a user's own store beside payments, the outbox and the families.
    private static let others = [OutboxPause.key, AudioDraftShelf.prefix, DraftFiles.prefix, StoredDriveKey.key]

    /// The reason why an entry cannot be shown; `nil` if it can be shown, or if no app knows its key.
    static func problem(with entry: StoredEntry, key: String) -> String? {
        guard let family = family(of: key), !family.accepts(entry.bytes) else { return nil }
        return "its bytes are not what the app saves"
    }
}
