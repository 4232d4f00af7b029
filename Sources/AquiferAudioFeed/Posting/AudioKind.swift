import AquiferFoundation

/// The kinds of sound that can be posted, told by how a file begins.
public enum AudioKind: String, Sendable, Hashable, CaseIterable {
    case mp3, ogg, flac, wav, m4a, webm

    /// The bytes of a file's beginning that tell its kind.
    public static let signature = 16

    /// The brands of MPEG-4 files of sound. Pictures (HEIC) begin alike. The length of the box comes first, and is
    /// below 2 GB: a frame of MP3 that has these letters begins with 0xFF.
    private static let soundBrands = [
        "M4A ", "M4B ", "mp41", "mp42", "isom", "iso2", "iso4", "iso5", "iso6", "dash",
    ]

    /// The kind of a file that begins with these bytes; `nil` when it is no sound.
    public init?(_ start: Data) {
        let bytes = [UInt8](start.prefix(Self.signature))
        func has(_ text: String, at offset: Int = 0) -> Bool {
            bytes.count >= offset + text.utf8.count && bytes[offset...].starts(with: text.utf8)
        }
        if has("ID3") {
            self = .mp3
        } else if has("OggS") {
            self = .ogg
        } else if has("fLaC") {
            self = .flac
        } else if has("RIFF"), has("WAVE", at: 8) {
            self = .wav
        } else if has("ftyp", at: 4), bytes[0] < 0x80, Self.soundBrands.contains(where: { has($0, at: 8) }) {
            self = .m4a
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webm
        } else if bytes.count >= 2, bytes[0] == 0xFF, bytes[1] & 0xE6 == 0xE2 {
            self = .mp3  // the sync word of an MPEG frame, layer III
        } else {
            return nil
        }
    }

    /// The media type that it is posted with.
    public var mediaType: String {
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
