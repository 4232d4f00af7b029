import Aquifer
import AquiferFoundation
import AquiferWording

/// The fault of a clip that is to be posted. Nothing was read, sent or changed.
public enum ClipDraftError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The title has no letters.
    case noTitle
    /// The title is longer than this many characters.
    case titleTooLong(limit: Int)
    /// There is no such file, or it cannot be read.
    case noFile(String)
    /// The file is empty.
    case emptyFile(String)
    /// The file is larger than this many bytes.
    case fileTooLarge(String, limit: UInt64)
    /// The file is no sound.
    case notAudio(String)

    /// One line: what was wrong, and what to do.
    public var description: String {
        switch self {
        case .noTitle: "the title is empty; say what the clip is called"
        case .titleTooLong(let limit): "the title has more than \(limit) characters; shorten it"
        case .noFile(let name): "\(name) cannot be read; check its name and its permissions"
        case .emptyFile(let name): "\(name) is empty; choose another file"
        case .fileTooLarge(let name, let limit):
            "\(name) has more than the \(limit / 1_048_576) MB that can be posted; shorten or compress it"
        case .notAudio(let name): "\(name) is not a supported audio file (MP3, M4A, WAV, FLAC, Ogg or WebM)"
        }
    }

    /// The words for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .noTitle: language.text("clip.noTitle")
        case .titleTooLong(let limit): language.text("clip.titleTooLong", ["limit": limit])
        case .noFile: language.text("clip.noFile")
        case .emptyFile: language.text("clip.emptyFile")
        case .fileTooLarge(_, let limit): language.text("clip.fileTooLarge", ["limit": limit / 1_048_576])
        case .notAudio: language.text("clip.notAudio")
        }
    }
}

/// A clip that can be posted: its title and its file have been checked.
public struct ClipDraft: Sendable, Hashable {
    /// The most characters of a title.
    public static let longestTitle = 200
    /// The most bytes of a file.
    public static let largestFile: UInt64 = 100 << 20

    /// Its title, without space around it.
    public let title: String
    /// Its author.
    public let author: String?
    /// The file of its sound.
    public let file: URL
    /// The file's name.
    public let fileName: String
    /// The kind of sound.
    public let kind: AudioKind
    /// The number of bytes.
    public let size: UInt64

    /// A clip of a title and a file.
    ///
    /// - Parameters:
    ///   - title: the title as typed; spaces around it are left out.
    ///   - author: the author as typed; an empty one counts as none.
    ///   - file: the file of the sound.
    ///   - fileName: the file's name, if that is not its name on disk.
    /// - Throws: ``ClipDraftError``. A file that is too large is not read.
    public init(title: String, author: String? = nil, file: URL, fileName: String? = nil) throws(ClipDraftError) {
        self.title = try Self.title(title)
        let author = author?.trimmed
        self.author = author == "" ? nil : author
        self.file = file
        self.fileName = fileName ?? file.lastPathComponent
        (kind, size) = try Self.check(file, name: self.fileName)
    }

    /// A title without space around it.
    ///
    /// - Throws: `.noTitle`, `.titleTooLong`.
    public static func title(_ text: String) throws(ClipDraftError) -> String {
        let title = text.trimmed
        guard !title.isEmpty else { throw .noTitle }
        guard title.count <= longestTitle else { throw .titleTooLong(limit: longestTitle) }
        return title
    }

    /// The kind of sound of a file, and its number of bytes.
    ///
    /// - Throws: those of ``ClipDraftError`` that are about files.
    public static func check(_ file: URL, name: String) throws(ClipDraftError) -> (AudioKind, UInt64) {
        let size: Int?
        var start = Data(count: AudioKind.signature)
        do {
            guard let opened = try POSIX.openToRead(file.path) else { throw ClipDraftError.noFile(name) }
            size = try POSIX.size(opened)
            let count = try start.withUnsafeMutableBytes { try POSIX.read(opened, into: $0, at: 0) }
            start = start.prefix(count)
        } catch { throw .noFile(name) }
        // A folder has no size.
        guard let size else { throw .noFile(name) }
        guard size > 0 else { throw .emptyFile(name) }
        guard size <= largestFile else { throw .fileTooLarge(name, limit: largestFile) }
        guard let kind = AudioKind(start) else { throw .notAudio(name) }
        return (kind, UInt64(size))
    }
}
