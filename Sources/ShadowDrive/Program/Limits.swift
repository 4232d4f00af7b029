import Foundation

/// What Shadow Drive takes: everything beyond is refused before anything is sent.
public enum ShadowDriveLimits {
    /// The most bytes of a file: 1 GiB.
    public static let fileBytes: UInt64 = 1 << 30
    /// The most files of one upload.
    public static let filesPerUpload = 5
    /// The most bytes of a storage account's name in UTF-8.
    public static let nameBytes = 64
}

/// What is beyond the limits of Shadow Drive.
public enum LimitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A storage account needs a name.
    case noName
    /// The storage account's name has so many bytes.
    case nameTooLong(bytes: Int)
    /// The size is none.
    case size(StorageSizeError)
    /// More is to be given back than is free.
    case tooMuch(free: UInt64)
    /// The account cannot be changed any more.
    case immutable

    /// One line.
    public var description: String {
        switch self {
        case .noName: "a storage account needs a name"
        case .nameTooLong(let bytes):
            "the name has \(bytes) bytes, and \(ShadowDriveLimits.nameBytes) are the most"
        case .size(let error): "\(error)"
        case .tooMuch(let free): "only \(StorageSize.text(free)) are free and can be given back"
        case .immutable: "the storage account is immutable: it cannot be changed any more"
        }
    }

    /// Checks a storage account's name.
    static func check(name: String) throws(LimitError) {
        guard !name.isEmpty else { throw .noName }
        guard name.utf8.count <= ShadowDriveLimits.nameBytes else { throw .nameTooLong(bytes: name.utf8.count) }
    }

    /// Checks a size that a storage account shall have.
    static func check(size: UInt64) throws(LimitError) {
        guard StorageSize.accountRange.contains(size) else { throw .size(size == 0 ? .zero : .outOfRange) }
    }
}
