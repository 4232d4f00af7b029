import AquiferFoundation

/// The limits of Shadow Drive. A request beyond them is refused before anything is sent.
public enum ShadowDriveLimits {
    /// The maximum size of a file in bytes: 1 GiB.
    public static let fileBytes: UInt64 = 1 << 30
    /// The maximum number of files in one upload request.
    public static let filesPerUpload = 5
    /// The maximum length of a storage account's name in UTF-8 bytes.
    public static let nameBytes = 64
}

/// A request beyond the limits of Shadow Drive.
public enum LimitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A storage account needs a name.
    case noName
    /// The storage account's name is too long.
    case nameTooLong(bytes: Int)
    /// The size is invalid.
    case size(StorageSizeError)
    /// The storage to release is more than the free storage.
    case tooMuch(free: UInt64)
    /// The account is immutable.
    case immutable

    /// A description in one line.
    public var description: String {
        switch self {
        case .noName: "a storage account needs a name"
        case .nameTooLong(let bytes):
            "the name has \(bytes) bytes, and \(ShadowDriveLimits.nameBytes) are the most"
        case .size(let error): "\(error)"
        case .tooMuch(let free): "only \(StorageSize.text(free)) are free and can be given back"
        case .immutable:
            "the storage account is immutable: its files cannot be replaced or deleted, nor storage be given back"
        }
    }

    /// Checks a storage account's name.
    static func check(name: String) throws(LimitError) {
        guard !name.isEmpty else { throw .noName }
        guard name.utf8.count <= ShadowDriveLimits.nameBytes else { throw .nameTooLong(bytes: name.utf8.count) }
    }

    /// Checks the size of a storage account.
    static func check(size: UInt64) throws(LimitError) {
        guard StorageSize.accountRange.contains(size) else { throw .size(size == 0 ? .zero : .outOfRange) }
    }
}
