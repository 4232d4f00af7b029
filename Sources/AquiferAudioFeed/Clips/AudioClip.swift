import Aquifer
import AquiferFoundation

/// A clip of the feed.
public struct AudioClip: Sendable, Hashable, Identifiable, Codable {
    /// The clip's identity.
    public let id: UUID
    /// The title.
    public let title: String
    /// The author, if the remote names one.
    public let author: String?
    /// The length of the sound in seconds; 0 when the remote does not know it.
    public let duration: Double
    /// The time of the post.
    public let createdAt: Date
    /// The address of the sound: `http` or `https`.
    public let audio: URL
    /// The loudness from beginning to end, each value 0 … 1; empty when the remote does not send it.
    public let waveform: [Double]

    /// A clip.
    public init(
        id: UUID, title: String, author: String? = nil, duration: Double, createdAt: Date, audio: URL,
        waveform: [Double] = []
    ) {
        self.id = id
        self.title = title
        self.author = author
        self.duration = duration
        self.createdAt = createdAt
        self.audio = audio
        self.waveform = waveform
    }

    /// True if the title or the author contains a text. Case and accents do not count.
    public func matches(_ query: String) -> Bool {
        SearchText(query).isIn(title, author ?? "")
    }
}

extension AudioClip {
    /// The duration of the clip to the nearest second, half a second upwards, as the pages tell it too: `0:09` of 8.77 s,
    /// `1:02:03`; `–:––` when the remote does not know it.
    public var durationText: String {
        guard duration > 0, duration < 359_999.5 else { return "–:––" }
        let seconds = Int(duration.rounded())
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
