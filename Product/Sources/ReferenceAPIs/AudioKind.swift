import Foundation

/// The kinds of sound that the audio remote takes. The first bytes of a file tell its kind; its name does not count.
enum AudioKind: String, Sendable, Codable, CaseIterable {
    case mp3
    case ogg
    case flac
    case wav
    case m4a
    case webm

    /// The number of first bytes that tell the kind.
    static let signature = 12

    /// The brands of ISO media that hold sound. A `heic` picture begins like them, with another brand.
    private static let brands: Set<String> = [
        "M4A ", "M4B ", "mp41", "mp42", "isom", "iso2", "iso4", "iso5", "iso6", "dash",
    ]

    /// `nil` when it is none of them.
    init?(firstBytes: Data) {
        let bytes = Array(firstBytes.prefix(Self.signature))
        func text(_ range: Range<Int>) -> String? {
            bytes.count >= range.upperBound ? String(decoding: bytes[range], as: UTF8.self) : nil
        }
        if text(0..<3) == "ID3" || MP3Frame(bytes) != nil {
            self = .mp3
        } else if text(0..<4) == "OggS" {
            self = .ogg
        } else if text(0..<4) == "fLaC" {
            self = .flac
        } else if text(0..<4) == "RIFF", text(8..<12) == "WAVE" {
            self = .wav
        } else if text(4..<8) == "ftyp", bytes[0] < 0x80, let brand = text(8..<12), Self.brands.contains(brand) {
            self = .m4a
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webm
        } else {
            return nil
        }
    }

    var contentType: String {
        switch self {
        case .mp3: "audio/mpeg"
        case .ogg: "audio/ogg"
        case .flac: "audio/flac"
        case .wav: "audio/wav"
        case .m4a: "audio/mp4"
        case .webm: "audio/webm"
        }
    }
}
