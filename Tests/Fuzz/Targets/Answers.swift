import Foundation

@testable import Aquifer
@testable import AquiferAudioFeed
@testable import AquiferFoaas
@testable import AquiferImageFeed
@testable import AquiferPayments

extension FuzzTarget {
    /// The answers of the remotes of the feeds, the payments and the phrases.
    static let answers: [FuzzTarget] = [
        .now("feed") { data in
            guard let items = try mapped({ try FeedMapper.map(okay, data) }) else { return }
            try promise(Set(items.map(\.id)).count == items.count, "an item is there twice")
            try promise(items.allSatisfy(\.image.isWebAddress), "a picture has no web address")
            try keeps(items, .binary)
        },
        .now("comments") { data in
            guard let comments = try mapped({ try CommentsMapper.map(okay, data) }) else { return }
            try promise(comments.allSatisfy(\.createdAt.isRFC3339), "a date cannot be written")
            try keeps(comments, .json)
        },
        .now("contacts") { data in
            guard let contacts = try mapped({ try ContactsMapper.map(okay, data) }) else { return }
            try promise(Set(contacts.map(\.id)).count == contacts.count, "a contact is there twice")
            try promise(contacts.allSatisfy(\.imageURL.isWebAddress), "a picture has no web address")
            try promise(contacts.allSatisfy { !$0.initials.isEmpty }, "a contact has no initials")
            try keeps(contacts, .json)
        },
        .now("payments") { data in
            guard let payment = try mapped({ try TransactionMapper.map(okay, data) }) else { return }
            try promise(payment.date.isRFC3339, "a date cannot be written")
            try promise(abs(payment.cents) < 1_000_000_000_000, "an amount is too large")
        },
        .now("clips") { data in
            if let clip = try mapped({ try AudioFeedMapper.posted(okay, data) }) { try check([clip]) }
            guard let clips = try mapped({ try AudioFeedMapper.clips(okay, data) }) else { return }
            try promise(Set(clips.map(\.id)).count == clips.count, "a clip is there twice")
            try check(clips)
        },
        .now("phrases") { data in
            guard let phrase = try mapped({ try FoaasMapper.phrase(okay, data) }) else { return }
            try promise(Foaas(json: phrase.toJson()) == phrase, "a phrase is another in JSON")
            let filtered = ProfanityFilter.filter(phrase)
            try promise(ProfanityFilter.filter(filtered) == filtered, "a filtered phrase can be filtered further")
            try keeps(phrase, .json)
        },
        .now("operations") { data in
            guard let list = try mapped({ try FoaasMapper.operations(okay, data) }) else { return }
            try promise(list.skipped >= 0, "fewer than no operations were skipped")
            try promise(Set(list.operations.map(\.url)).count == list.operations.count, "an operation is there twice")
            for operation in list.operations { try check(operation) }
            try keeps(list, .json)
        },
        .now("sounds") { data in
            let (client, server) = (AquiferAudioFeed.AudioKind(data), serverKind(data))
            try promise(server == nil || server == client?.rawValue, "the server takes a sound for another kind")
            _ = PictureCheck.mediaType(of: data)
        },
    ]

    static let okay = HTTPResponseHead(
        status: 200, headers: ["Content-Type": "application/json"], url: URL(filePath: "/"))

    /// What a mapper makes of an answer; `nil` if it refuses it with one of its own errors.
    static func mapped<Value>(_ map: () throws -> Value) throws -> Value? {
        do { return try map() } catch is InvalidData { return nil } catch let error as DecodingError {
            _ = "\(InvalidData(mapping: error))"
            return nil
        }
    }

    /// Checks that a value is the same after it was saved.
    static func keeps<Value: Equatable>(_ value: Value, _ codec: CacheCodec<Value>) throws {
        try promise(try codec.decode(try codec.encode(value)) == value, "it is another after it was saved")
    }

    private static func check(_ clips: [AudioClip]) throws {
        for clip in clips {
            try promise(clip.audio.isWebAddress, "a sound has no web address")
            try promise(clip.createdAt.isRFC3339, "a date cannot be written")
            try promise(clip.duration.isFinite && clip.duration >= 0, "a duration is none")
            _ = clip.durationText
        }
        try keeps(clips, .json)
    }

    private static func check(_ operation: FoaasOperation) throws {
        try promise(FoaasOperation(json: operation.toJson()) == operation, "an operation is another in JSON")
        guard let base = URL(string: "http://localhost:1/foaas/") else { return }
        var builder = FoaasPathBuilder(operation)
        for placeholder in builder.placeholders {
            try builder.set("a/b?c#d%e:f", for: placeholder)
            _ = operation.name(of: placeholder)
        }
        try promise(builder.isComplete, "a placeholder cannot be filled")
        do {
            let url = try builder.url(base: base)
            let count = operation.url.split(separator: "/").count
            try promise(url.query() == nil && url.fragment() == nil, "a value leads out of the path")
            try promise(
                url.absoluteString.dropFirst("http://localhost:1/foaas/".count).utf8.filter { $0 == 0x2F }.count
                    == count - 1, "a value leads to another path: \(url.absoluteString.debugDescription)")
        } catch FoaasPathError.tooLong {}
    }
}
