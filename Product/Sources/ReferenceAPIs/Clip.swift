import Foundation

/// A clip of the audio remote, with the place of its sound.
struct Clip: Sendable {
    let id: UUID
    let title: String
    let author: String?
    /// The length of the sound in seconds.
    let duration: Double
    let date: Date
    /// A number that selects the contract's form in which the date is written.
    let form: Int
    let waveform: [Double]?
    let kind: AudioKind
    let file: URL
    /// The version of the sound; `nil` when it follows from the file's attributes.
    let etag: String?

    /// The last part of the address of its sound.
    var name: String { "\(id.uuidString).\(kind.rawValue)" }

    /// The contract's item, with the sound at `base`.
    func item(base: String) -> Item {
        // The contract's dates come with `Z`, `+00:00` and `+0000`.
        let zone = ["Z", "+00:00", "+0000"][form % 3]
        return Item(
            id: id, title: title, author: author, duration: duration,
            createdAt: date.formatted(.iso8601).dropLast() + zone, audio: "\(base)/\(name)", waveform: waveform)
    }

    struct Item: Encodable {
        let id: UUID
        let title: String
        let author: String?
        let duration: Double
        let createdAt: String
        let audio: String
        let waveform: [Double]?

        enum CodingKeys: String, CodingKey {
            case id, title, author, duration, audio, waveform
            case createdAt = "created_at"
        }
    }
}

/// The metadata that a client sends with a clip, checked.
struct ClipMetadata: Sendable, Equatable {
    let title: String
    let author: String?
    let duration: Double?
    let waveform: [Double]?

    /// The most characters of a title or an author.
    static let longestText = 200
    /// The longest sound in seconds: a day.
    static let longestDuration = 86_400.0
    static let mostValues = 1000

    init(json: Data) throws(ReferenceRefusal) {
        let fields: [String: Any]
        do {
            guard let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] else {
                throw ReferenceRefusal(400, "the part metadata must be a JSON object")
            }
            fields = object
        } catch { throw ReferenceRefusal(400, "the part metadata must be a JSON object") }
        let title = (fields["title"] as? String)?.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let title, !title.isEmpty else { throw ReferenceRefusal(422, "title must be a text that is not empty") }
        guard title.count <= Self.longestText else {
            throw ReferenceRefusal(422, "title must have at most 200 characters")
        }
        self.title = title
        author = try Self.field(fields, "author", "a text of at most 200 characters") { (text: String) in
            text.count <= Self.longestText
        }.flatMap { $0.isEmpty ? nil : $0 }
        duration = try Self.field(fields, "duration", "a number of seconds from 0 to 86400") { (seconds: Double) in
            (0...Self.longestDuration).contains(seconds)
        }
        waveform = try Self.field(fields, "waveform", "a list of at most 1000 numbers from 0 to 1") {
            (values: [Double]) in
            values.count <= Self.mostValues && values.allSatisfy((0...1).contains)
        }
    }

    /// An optional field: `null` counts as a missing field.
    private static func field<Value>(
        _ fields: [String: Any], _ name: String, _ rule: String, _ isGood: (Value) -> Bool
    ) throws(ReferenceRefusal) -> Value? {
        guard let field = fields[name], !(field is NSNull) else { return nil }
        guard let value = field as? Value, isGood(value) else { throw ReferenceRefusal(422, "\(name) must be \(rule)") }
        return value
    }
}

/// The reason why a post is refused.
struct ReferenceRefusal: Error, Equatable {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}
