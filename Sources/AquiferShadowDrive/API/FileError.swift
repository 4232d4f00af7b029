import Aquifer
import AquiferFoundation

/// The reason why a file cannot be sent or written.
public enum FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file does not exist, is not a file, or cannot be read.
    case unreadable(name: String, reason: String)
    /// The file is larger than the limit.
    case tooLarge(name: String, bytes: UInt64)
    /// The account has less storage left than the file needs.
    case noRoom(name: String, free: UInt64)
    /// The file's name is not allowed.
    case badName(name: String, reason: String)
    /// A file of this name is already stored, and replacing it was not requested.
    case exists(name: String)
    /// Another file of the same upload has the same name.
    case repeated(name: String)
    /// The file changed while it was read.
    case changed(name: String)
    /// The file could not be written.
    case unwritable(path: String, reason: String)

    /// A description in one line.
    public var description: String {
        switch self {
        case .unreadable(let name, let reason): "\(name): \(reason)"
        case .tooLarge(let name, let bytes):
            "\(name) has \(bytes) bytes, and \(StorageSize.text(ShadowDriveLimits.fileBytes))"
                + " (\(ShadowDriveLimits.fileBytes) bytes) are the most"
        case .noRoom(let name, let free): "\(name) does not fit: only \(StorageSize.text(free)) are free"
        case .badName(let name, let reason): "\"\(name)\" cannot be a file's name: \(reason)"
        case .exists(let name): "a file called \(name) is stored already"
        case .repeated(let name): "\(name) is there twice"
        case .changed(let name): "a file was changed while it was sent (\(name))"
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
        }
    }
}
