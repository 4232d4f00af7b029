import Aquifer
import Foundation

/// A clip of the feed.
public struct AudioClip: Sendable, Hashable, Identifiable, Codable {
    /// The clip's identity.
    public let id: UUID
    /// What it is called.
    public let title: String
    /// Whose it is, if the remote says so.
    public let author: String?
    /// How long it plays, in seconds; 0 when the remote does not know.
    public let duration: Double
    /// When it was posted.
    public let createdAt: Date
    /// Where its sound is: `http` or `https`.
    public let audio: URL
    /// How loud it is from beginning to end, each 0 … 1; empty when the remote does not say.
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

    /// Whether title or author contain a text, whatever its case and accents.
    public func matches(_ query: String) -> Bool {
        SearchText(query).isIn(title, author ?? "")
    }
}
