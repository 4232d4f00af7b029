import Aquifer
import AquiferAudioFeed
import AquiferFoaas
import AquiferImageFeed
import AquiferPayments
import AquiferShadowDrive
import Foundation

/// The decoders of the apps' entries, by the prefix of the key. Bytes with a correct checksum are still unusable if
/// they cannot be decoded.
enum KnownEntries {
    private static let decoders: [(prefix: String, decode: @Sendable (Data) throws -> Void)] = [
        ("feed:", { _ = try CacheCodec<[FeedItem]>.binary.decode($0) }),
        ("comments:", { _ = try CacheCodec<[ImageComment]>.json.decode($0) }),
        ("contacts:", { _ = try CacheCodec<[Contact]>.json.decode($0) }),
        ("foaas:seen", { _ = try CacheCodec<[SeenPhrase]>.json.decode($0) }),
        ("foaas:settings", { _ = try JSONSerialization.jsonObject(with: $0) }),
        ("foaas:", { _ = try CacheCodec<FoaasOperations>.json.decode($0) }),
        ("audio:", { _ = try CacheCodec<[AudioClip]>.json.decode($0) }),
        ("drive-accounts:", { _ = try CacheCodec<AccountList>.json.decode($0) }),
        ("drive-contents:", { _ = try CacheCodec<AccountContents>.json.decode($0) }),
        ("data:", { if PictureCheck.mediaType(of: $0) == nil { throw InvalidData.body("no picture") } }),
    ]

    /// The reason why an entry cannot be shown; `nil` if it can be shown, or if no app knows its key.
    static func problem(with entry: StoredEntry, key: String) -> String? {
        guard let known = decoders.first(where: { key.hasPrefix($0.prefix) }) else { return nil }
        do {
            try known.decode(entry.bytes)
            return nil
        } catch {
            return "its bytes are not what the app saves"
        }
    }
}
